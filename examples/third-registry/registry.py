#!/usr/bin/env python3
"""A third registry: the published contract, written from the conformance kit alone.

It reads one document, checks it, and says no. A good document gets a decision (`denied`), anything else a
problem (RFC 9457). Whatever goes wrong inside ends in a problem too: there is no code path that says yes.

    python3 registry.py --kit PATH_TO_CONFORMANCE --port 0
"""

import argparse
import io
import json
import re
import secrets
import socket
import socketserver
import threading
import time
from http import HTTPStatus
from pathlib import Path

from document import Reader, told
from strict import canonical, digest

# ---------------------------------------------------------------------------------------------- the kit


class Kit:
    """The files of the kit that a registry needs, read once at the start."""

    def __init__(self, folder):
        contracts = Path(folder) / "contracts"

        def load(name):
            return json.loads((contracts / name).read_text("utf-8"))

        self.contract = load("hosted-registry-api-contract.json")
        self.readiness = load("hosted-registry-readiness-contract.json")
        self.limits = {row["limit"]: row["value"] for row in load("limits.json")}
        self.problems = {row["code"]: row for row in load("problems.json")}
        forms = load("forms.json")
        self.forms = {row["name"]: row for row in forms["forms"]}
        self.artifacts = {row["kind"]: row for row in forms["artifacts"]}
        self.media_types = forms["mediaTypes"]
        self.other_media_type = forms["otherMediaType"]
        self.descriptor_media_types = forms["descriptorMediaTypes"]
        self.licences = {name: set(row) for name, row in forms["licenses"].items()}
        self.risks = forms["permissionRisks"]
        self.gates = self.forms["gate"]["words"]
        self.schemas = {}
        for path in (contracts / "schemas").glob("*.schema.json"):
            schema = json.loads(path.read_text("utf-8"))
            self.schemas[schema["$id"]] = schema
        vectors = Path(folder) / "vectors"
        self.refused_characters = json.loads((vectors / "refused-characters.json").read_text("utf-8"))
        rules = json.loads((vectors / "rules.json").read_text("utf-8"))
        self.rules = {row["rule"]: row for row in rules}
        base = self.contract["basePath"]
        self.endpoints = {base + row["path"]: row for row in self.contract["operations"]}
        self.documents = {base + "/contract": self.contract, base + "/readiness": self.readiness}
        # A registry without rules of its own says that it has those of the kit (README, "The rule sets").
        self.ruleset = {"digest": digest(b"kit-1"), "version": "1.0.0-kit.1"}
        # The one other rule set that the kit names: its digest has one version.
        named = Path(folder) / "documents" / "own-rules" / "submission.json"
        self.named_ruleset = json.loads(named.read_text("utf-8"))["ruleset"]

    def problem_of(self, rule):
        """The problem that a broken rule comes to. Rules of forms (SVC-F..., SVC-M...) are not in the list."""
        return self.rules.get(rule, {"problem": "artifact-invalid"})["problem"]


# --------------------------------------------------------------------------------------------- the answers


class Refused(Exception):
    """A problem, with its code, and the findings where a document was refused."""

    def __init__(self, code, detail, found=(), allow=None):
        super().__init__(code)
        self.code, self.detail, self.found, self.allow = code, detail, found, allow


class Registry:
    """Answers: a decision, or a problem. Each is held against its schema before it leaves."""

    ERRORS_MOST = 200

    def __init__(self, kit):
        self.kit = kit
        self.reader = Reader(kit)

    def decide(self, operation, body, request_id):
        document, found = self.reader.read(operation["kind"], body)
        if document is None:
            detail = f"{len(found)} finding(s); the first {self.ERRORS_MOST} are in `errors`"
            raise Refused(self.reader.code(found), detail, found)
        gates, rules = self.kit.readiness, self.kit.ruleset
        decision = {
            **self.kit.contract["outcome"],
            "artifact": {"digest": document["documentDigest"], "kind": document["kind"]},
            "gateStatuses": gates["gateStatuses"],
            "kind": "svc-registry-decision",
            "missingGates": gates["missingGates"],
            "nextGate": gates["missingGates"][0],
            "operation": operation["operation"],
            "outcome": "denied",
            "ruleset": {"declared": document["ruleset"]["digest"], "equal": document["ruleset"] == rules, "own": rules},
            "schemaVersion": "1.0",
        }
        if "entries" in document:
            decision["entries"] = [self.package(entry["submission"], True) for entry in document["entries"]]
        else:
            decision.update(self.package(document, False))
        decision["decisionId"] = digest(canonical(decision))
        decision["requestId"] = request_id
        return self.closed(operation["answerSchema"], decision)

    def package(self, document, is_entry):
        """What was evaluated about one package."""
        declared = next(row["digest"] for row in document["artifactDigests"] if row["name"] == "package-artifact")
        blockers = document.get("blockers") or self.reader.blockers(document)
        blocked = any(row["blocksStage"] == "collection-entry" for row in blockers)
        recomputed = digest(canonical(document["packageArtifact"]))
        return {
            "blockers": blockers,
            "digestCheck": {"declared": declared, "matches": declared == recomputed, "recomputed": recomputed},
            "reviewed": "as-claimed" if "reviewReport" in document else "without-facts",
            "stage": self.stage(document, is_entry and not blocked),
        }

    @staticmethod
    def stage(document, is_entry):
        """A stage needs what every stage below it takes."""
        if not document["packageArtifact"]["manifest"]["icons"]:
            return "blueprint"
        if "reviewReport" not in document:
            return "showcase-preview"
        return "collection-entry" if is_entry else "review-report"

    def problem(self, refused, instance, request_id):
        row = self.kit.problems[refused.code]
        errors = []
        found = list(dict.fromkeys((rule, told(rule, pointer, self.kit.gates)) for rule, pointer in refused.found))
        for rule, pointer in found[: self.ERRORS_MOST]:
            title = self.kit.rules.get(rule, {"title": "a value of the wrong form"})["title"]
            errors.append({"code": self.kit.problem_of(rule), "detail": title, "pointer": pointer, "rule": rule})
        problem = {
            **self.kit.contract["outcome"],
            "code": refused.code,
            "detail": refused.detail,
            "errorCount": len(found),
            "errors": errors,
            "gateStatuses": {**self.kit.readiness["gateStatuses"], "artifact-hash": "unevidenced"},
            "instance": instance,
            "missingGates": self.kit.gates,
            "requestId": request_id,
            "status": row["status"],
            "title": row["title"],
            "truncated": len(found) > len(errors),
            "type": f"{self.kit.contract['basePath']}/problems/{refused.code}",
        }
        return self.closed(self.kit.contract["problemSchema"], problem)

    def closed(self, urn, answer):
        """The last look: an answer that is not of its closed form is never sent."""
        if found := self.reader.schema.check(urn, answer):
            raise AssertionError(f"not closed: {found}")
        return answer


# -------------------------------------------------------------------------------------------------- HTTP

TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
REQUEST_LINE = re.compile(rf"({TOKEN}) ([!-~]+) HTTP/1\.([01])")
HEADER = re.compile(rf"({TOKEN}):[ \t]*([\t -~\x80-\xff]*?)[ \t]*")


class TimedSocket(io.RawIOBase):
    """A socket to read from until a deadline, however slowly its bytes drip in."""

    def __init__(self, connection):
        self.connection, self.deadline = connection, 0.0

    def allow(self, seconds):
        self.deadline = time.monotonic() + seconds

    def readable(self):
        return True

    def readinto(self, buffer):
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.connection.settimeout(left)
        return self.connection.recv_into(buffer)


class Handler(socketserver.BaseRequestHandler):
    """One connection: requests one after another, until one is refused by its form."""

    def setup(self):
        self.registry, self.kit = self.server.registry, self.server.registry.kit
        self.socket = TimedSocket(self.request)
        self.stream = io.BufferedReader(self.socket)

    def handle(self):
        try:
            while self.exchange():
                pass
            self.linger()
        except OSError:
            pass  # the client is gone, or does not read

    def exchange(self):
        """One request and its answer; whether another may follow."""
        self.request_id, self.method, self.path = secrets.token_hex(16), "", "/"
        self.body_read = self.may_stay = False
        try:
            self.socket.allow(self.kit.limits["header-read"])
            line = self.stream.readline(self.kit.limits["headers"] + 1)
        except TimeoutError:
            return False
        if not line:
            return False
        try:
            status, answer, extra = self.answer(line)
        except Refused as refused:
            status, answer, extra = self.refuse(refused)
        except TimeoutError:
            status, answer, extra = self.refuse(Refused("request-timeout", "the request took too long"))
        except OSError:
            raise
        except BaseException:  # whatever it is, MemoryError and RecursionError too: the answer stays closed
            status, answer, extra = self.refuse(Refused("internal", "the request could not be evaluated"))
        self.may_stay = self.may_stay and self.body_read
        self.send(status, answer, extra)
        return self.may_stay

    def answer(self, line):
        target, headers = self.head(line)
        if target in self.kit.documents:
            self.path = target
            if self.method not in ("GET", "HEAD"):
                raise Refused("method-not-allowed", "this is a document to read", allow="GET, HEAD")
            self.negotiate(headers)
            self.body_read = self.length(headers) == 0
            return 200, self.kit.documents[target], {"content-type": "application/json"}
        operation = self.kit.endpoints.get(target)
        if operation is None:
            raise Refused("not-found", "there is no such path")
        self.path = target
        if self.method != operation["method"]:
            raise Refused("method-not-allowed", "this endpoint takes documents", allow=operation["method"])
        if not re.fullmatch(r'application/json( *; *charset="?utf-8"?)?', headers.get("content-type", ""), re.I):
            raise Refused("unsupported-media-type", "a document is application/json")
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise Refused("unsupported-media-type", "a document has no content encoding")
        self.negotiate(headers)
        length = self.length(headers)
        if length > operation["mostBytes"]:
            raise Refused("body-too-large", f"a document here has {operation['mostBytes']} bytes at most")
        with Room(self.server, length):
            decision = self.registry.decide(operation, self.body(length, headers), self.request_id)
        extra = {"content-type": "application/json", "svc-decision": "denied", "cache-control": "no-store"}
        return 200, decision, extra

    def head(self, line):
        """The target and the headers, by lower-case name. A header that comes twice is no proper request."""
        headers, left = {}, self.kit.limits["headers"] - len(line)
        match = REQUEST_LINE.fullmatch(line.decode("latin-1").rstrip("\r\n"))
        if not match or left < 0:
            raise Refused("malformed-request", "this is no request line")
        self.method, self.may_stay = match[1], match[3] == "1"
        while (line := self.stream.readline(max(left, 0) + 1)) not in (b"\r\n", b"\n"):
            left -= len(line)
            field = HEADER.fullmatch(line.decode("latin-1").rstrip("\r\n"))
            if left < 0 or not field or not line.endswith(b"\n"):
                raise Refused("malformed-request", "the headers are not proper, or too long")
            name, value = field[1].lower(), field[2]
            if name in headers and name != "accept":
                raise Refused("malformed-request", "a header comes twice")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        self.may_stay = self.may_stay and headers.get("connection", "").lower() != "close"
        if "host" not in headers or "transfer-encoding" in headers:
            raise Refused("malformed-request", "a request has a host, and a length in place of a transfer coding")
        return match[2], headers

    def negotiate(self, headers):
        wanted = [part.replace(" ", "").lower() for part in headers.get("accept", "*/*").split(",")]
        ours = ("*/*", "application/*", "application/json")
        if not any(part.split(";")[0] in ours and not re.search(r";q=0(\.0*)?$", part) for part in wanted):
            raise Refused("not-acceptable", "an answer here is application/json")

    def length(self, headers):
        text = headers.get("content-length", "0")
        if not re.fullmatch("[0-9]{1,15}", text):
            raise Refused("malformed-request", "the content length is no number")
        return int(text)

    def body(self, length, headers):
        self.socket.allow(self.kit.limits["body-read"])
        if headers.get("expect", "").lower() == "100-continue":
            self.request.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = self.stream.read(length)
        if len(body) != length:
            raise ConnectionError("the body ended early")
        self.body_read = True
        return body

    def refuse(self, refused):
        """A problem as (status, answer, headers). When even that fails, `internal` in its plainest words."""
        try:
            answer = self.registry.problem(refused, self.path, self.request_id)
        except Exception:
            answer = self.registry.problem(Refused("internal", "the answer was not closed"), "/", self.request_id)
        extra = {"content-type": "application/problem+json", "cache-control": "no-store"}
        if refused.allow:
            extra["allow"] = refused.allow
        if answer["status"] in (429, 503):
            extra["retry-after"] = "1"
        return answer["status"], answer, extra

    def send(self, status, answer, extra):
        body = json.dumps(answer, ensure_ascii=True, indent=2).encode("ascii") + b"\n"
        headers = {
            "svc-registry-api": "1",
            "svc-request-id": self.request_id,
            "x-content-type-options": "nosniff",
            "content-length": str(len(body)),
            "connection": "keep-alive" if self.may_stay else "close",
            **extra,
        }
        head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        self.request.settimeout(self.kit.limits["stall"])
        self.request.sendall(head.encode("ascii") + (b"" if self.method == "HEAD" else body))

    def linger(self):
        """Lets a client that is still sending read its answer: drops what comes, for a while."""
        self.request.shutdown(socket.SHUT_WR)
        self.socket.allow(self.kit.limits["least-rate-window"])
        left = 2 * self.kit.limits["index"]
        while left > 0 and (dropped := self.socket.read(65536)):
            left -= len(dropped)


class Server(socketserver.ThreadingTCPServer):
    """A thread for each connection, up to a bound; the bodies together are bounded too."""

    allow_reuse_address = daemon_threads = True
    request_queue_size = 64
    THREADS_MOST = 64

    def __init__(self, address, registry):
        super().__init__(address, Handler)
        self.registry = registry
        self.slots = threading.BoundedSemaphore(self.THREADS_MOST)
        self.lock, self.free = threading.Lock(), registry.kit.limits["bodies-in-flight"]

    def process_request(self, request, client_address):
        self.slots.acquire()  # the others wait in the queue of the socket
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread was to be had
            self.slots.release()
            raise

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.slots.release()

    def handle_error(self, request, client_address):
        pass  # the connection is closed; what a client sends is never printed


class Room:
    """Bytes of a body, taken from those that may be in flight together."""

    def __init__(self, server, length):
        self.server, self.length = server, length

    def __enter__(self):
        with self.server.lock:
            if self.length > self.server.free:
                raise Refused("overloaded", "too many bodies are in flight")
            self.server.free -= self.length

    def __exit__(self, *_):
        with self.server.lock:
            self.server.free += self.length


def main():
    parser = argparse.ArgumentParser(description="A registry of the published contract. Every answer is no.")
    parser.add_argument("--kit", required=True, help="the folder `conformance`")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    options = parser.parse_args()
    registry = Registry(Kit(options.kit))
    with Server(("127.0.0.1", options.port), registry) as server:
        base = registry.kit.contract["basePath"]
        print(f"listening on http://127.0.0.1:{server.server_address[1]}{base}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
