#!/usr/bin/env python3
"""Holds a registry against the conformance kit: every row of the exchanges, every document, the vectors.

    python3 check.py [--kit PATH_TO_CONFORMANCE] [--url ADDRESS]

Without an address it starts the third registry and asks that. Exit code 1 when anything differs. Submissions have no
endpoint, so they are read in this process; so are the vectors.
"""

import argparse
import base64
import collections
import http.client
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from document import Reader, told
from forms import Schema
from registry import Kit
from strict import canonical, digest

HERE = Path(__file__).resolve().parent
# The documents that only package rules decide, as the README of the kit lists them.
NEED_PACKAGE_RULES = {
    "review-evidence.json#own-rules-fact-of-no-kind",
    "submission.json#own-rules-fact-without-its-finding",
}


class Check:
    def __init__(self, kit_folder, port, has_kit_rules=True):
        self.folder, self.port, self.has_kit_rules = kit_folder, port, has_kit_rules
        self.kit = Kit(kit_folder)
        # The reader of the kit's rows is in the kit; nothing is to be left in its folder.
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(kit_folder))
        self.cases = importlib.import_module("cases")
        self.reader = Reader(self.kit)
        self.schema = Schema(self.kit)
        self.paths = {row["kind"]: path for path, row in self.kit.endpoints.items()}
        self.counts, self.differences, self.request_ids = collections.Counter(), [], set()
        self.decided = set()  # documents that an exchange has the decision of

    def load(self, name):
        return json.loads((self.folder / name).read_text("utf-8"))

    def case(self, name):
        """The bytes of a case, by `TABLE.json#NAME`."""
        table, _, case = name.partition("#")
        return self.cases.document(next(row for row in self.load(table) if row["name"] == case))

    def compare(self, name, what, expected, found):
        if expected != found:
            self.differences.append(f"{name}: {what}: expected {str(expected)[:200]}, found {str(found)[:200]}")

    def tell(self):
        for name, count in self.counts.items():
            print(f"{count:5} {name}")
        for difference in self.differences:
            print(difference)
        print(f"{len(self.differences)} difference(s)")
        return 1 if self.differences else 0

    # ------------------------------------------------------------------------------- requests and answers

    def ask(self, method, path, headers, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            connection.close()

    def answer(self, name, method, path, headers, body, status, media_type):
        """Sends, and compares what every answer has; gives its value."""
        found, pairs, data = self.ask(method, path, headers, body)
        value = json.loads(data)
        self.compare(name, "status", status, found)
        lower = [header.lower() for header, _ in pairs]
        header = {header.lower(): text for header, text in pairs}
        self.compare(name, "content-type", media_type, header.get("content-type"))
        for fixed, text in (("svc-registry-api", "1"), ("x-content-type-options", "nosniff")):
            self.compare(name, fixed, text, header.get(fixed))
        self.compare(name, "headers that come twice", [], [one for one in header if lower.count(one) > 1])
        never = {"set-cookie", "location", "content-encoding"}
        self.compare(name, "headers that must not be", set(), never & set(header))
        if method == "POST" or status != 200:
            self.compare(name, "cache-control", "no-store", header.get("cache-control"))
            self.compare(name, "requestId", value.get("requestId"), header.get("svc-request-id"))
        is_decision = value.get("kind") == "svc-registry-decision"
        self.compare(name, "svc-decision", "denied" if is_decision else None, header.get("svc-decision"))
        self.compare(name, "allow", status == 405, "allow" in header)
        request_id = header.get("svc-request-id", "")
        if not re.fullmatch("[0-9a-f]{32}", request_id) or request_id in self.request_ids:
            self.differences.append(f"{name}: svc-request-id is not new, or not 32 digits")
        self.request_ids.add(request_id)
        return value

    def decision(self, name, expected, value):
        value = {member: item for member, item in value.items() if member not in ("requestId", "receipt")}
        # What hangs on the rules of the registry, the kit tells only for its own.
        of_rules = () if self.has_kit_rules else ("blockers", "decisionId", "entries", "ruleset")
        for member in sorted((set(expected) | set(value)).difference(of_rules)):
            self.compare(name, member, expected.get(member), value.get(member))
        bare = {member: item for member, item in value.items() if member != "decisionId"}
        self.compare(name, "decisionId, recomputed", digest(canonical(bare)), value.get("decisionId"))

    def problem(self, name, code, path, value):
        row = self.kit.problems[code]
        expected = {
            "accepted": False,
            "code": code,
            "gateStatuses": {**self.kit.readiness["gateStatuses"], "artifact-hash": "unevidenced"},
            "installable": False,
            "instance": path if path in self.kit.endpoints else "/",
            "missingGates": self.kit.gates,
            "signed": False,
            "status": row["status"],
            "title": row["title"],
        }
        # A registry that keeps a journal knows these paths, also where it has nothing at them.
        if "/journal/" in path and value.get("instance") == path:
            expected["instance"] = path
        for member, item in expected.items():
            self.compare(name, member, item, value.get(member))
        self.compare(name, "schema", [], self.schema.check(self.kit.contract["problemSchema"], value))

    # --------------------------------------------------------------------------------------- the exchanges

    def exchanges(self):
        good = {}
        for row in self.load("vectors/exchanges.json"):
            request, name = row["request"], "exchange " + row["name"]
            body = request["text"].encode() if "text" in request else None
            if "case" in request:
                body = self.case(request["case"]).ljust(request.get("paddedTo", 0))
            method, path, headers = request["method"], request["path"], request["headers"]
            value = self.answer(name, method, path, headers, body, row["status"], row["mediaType"])
            if "decision" in row:
                good.setdefault(path, row["decision"])
                self.decided.add(request["case"])
                self.decision(name, row["decision"], value)
            elif "code" in row:
                self.problem(name, row["code"], path, value)
            else:
                self.compare(name, "document", self.load(row["file"]), value)
            self.counts["exchanges"] += 1
        return good

    # --------------------------------------------------------------------------------------- the documents

    def documents(self, good):
        for artifact in self.kit.artifacts.values():
            table = artifact["name"] + ".json"
            for row in self.load(table):
                self.document(artifact["kind"], f"{table}#{row['name']}", row["expect"], good)

    def document(self, kind, name, expect, good):
        body, path = self.case(name), self.paths.get(kind)
        if name in NEED_PACKAGE_RULES and (self.has_kit_rules or path is None):
            self.counts["documents left out, which need package rules"] += 1
            return
        is_good = expect["valid"] or expect["seenIn"] == "chain"
        if path is None:
            document, pairs = self.reader.read(kind, body)
            self.compare(name, "valid", is_good, document is not None)
            if pairs and not is_good:
                self.compare(name, "code", expect["problem"], self.reader.code(pairs))
        elif is_good:
            value = self.answer(name, "POST", path, {"content-type": "application/json"}, body, 200, "application/json")
            if name not in self.decided:
                self.decision(name, self.like_the_good_one(good[path], json.loads(body), expect), value)
            pairs = []
        else:
            headers, status = {"content-type": "application/json"}, self.kit.problems[expect["problem"]]["status"]
            value = self.answer(name, "POST", path, headers, body, status, "application/problem+json")
            self.problem(name, expect["problem"], path, value)
            pairs = [(row["rule"], row["pointer"]) for row in value.get("errors", [])]
        if not is_good:
            wanted = {(row["rule"], row["pointer"]) for row in expect["findings"]}
            if path:
                wanted = {(rule, told(rule, pointer, self.kit.gates)) for rule, pointer in wanted}
            self.compare(name, "findings", sorted(wanted), sorted(set(pairs)))
        self.counts["documents" if path else "submissions, without an endpoint"] += 1

    @staticmethod
    def like_the_good_one(good, document, expect):
        own, declared = good["ruleset"]["own"], document["ruleset"]
        decision = {
            **good,
            "artifact": {"digest": expect.get("digest", document["documentDigest"]), "kind": document["kind"]},
            "ruleset": {"declared": declared["digest"], "equal": declared == own, "own": own},
        }
        del decision["decisionId"]
        return {**decision, "decisionId": digest(canonical(decision))}

    # ----------------------------------------------------------------------------------------- the vectors

    def vectors(self):
        strict = self.reader.strict
        for row in self.load("vectors/strict-json.json"):
            _, broken = strict.read(base64.b64decode(row["document"]))
            self.compare("strict-json " + row["name"], "rules", sorted(row["rules"]), sorted(broken))
            self.counts["vectors"] += 1
        for row in self.load("vectors/canonical-form.json"):
            value, _ = strict.read(row["document"].encode())
            data = canonical(value)
            found = (data.decode(), len(data), digest(data))
            self.compare("canonical-form " + row["name"], "form", (row["canonical"], row["size"], row["digest"]), found)
            self.counts["vectors"] += 1
        for row in self.load("vectors/digests.json"):
            self.compare("digests " + row["name"], "digest", row["digest"], digest(base64.b64decode(row["bytes"])))
            self.counts["vectors"] += 1
        forms, definitions = self.load("vectors/forms.json"), {}
        for schema in self.kit.schemas.values():
            definitions.update(schema["$defs"])
        for name, accepted in forms["accepted"].items():
            for at, text in enumerate(forms["texts"]):
                found = []
                self.schema.walk({"$defs": definitions}, definitions[name], text, "", found)
                self.compare(f"form {name}", ascii(text[:60]), at in accepted, not found)
            self.counts["forms"] += 1


def main():
    parser = argparse.ArgumentParser(description="Holds the third registry against the conformance kit.")
    parser.add_argument("--kit", type=Path, default=HERE.parent.parent / "conformance")
    parser.add_argument("--url", help="a registry that runs already, with rules of its own")
    given = parser.parse_args()
    kit = given.kit.resolve()
    if given.url:
        check = Check(kit, urlsplit(given.url).port, has_kit_rules=False)
        check.documents(check.exchanges())
        return check.tell()
    command = [sys.executable, str(HERE / "registry.py"), "--kit", str(kit), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().removeprefix("listening on ").strip()
            check = Check(kit, urlsplit(address).port)
            check.documents(check.exchanges())
            check.vectors()
        finally:
            process.terminate()
    return check.tell()


if __name__ == "__main__":
    sys.exit(main())
