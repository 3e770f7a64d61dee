"""What a document is beyond its schema: its digests, what it says twice, and its review report."""

import base64
import unicodedata
from urllib.parse import urlsplit

from forms import Schema
from strict import RefusedCharacters, StrictReader, canonical, digest


class Reader:
    """Checks a document of one kind: the strict reader, then its form, then what it says twice."""

    FIRST = ["posture-violation", "digest-mismatch", "binding-mismatch", "review-mismatch", "wrong-kind"]
    OPEN = ("SVC-B006", "SVC-B007")
    FLAGS = ("accepted", "installable", "signed")
    EMBEDDED = ("documentDigest", "packageArtifact", "reviewReport")

    def __init__(self, kit):
        self.kit = kit
        self.strict = StrictReader(kit.limits, RefusedCharacters(kit.refused_characters))
        self.schema = Schema(kit)

    def read(self, kind, body):
        """The document and no findings, or None and the findings."""
        document, broken = self.strict.read(body)
        found = [(rule, "") for rule in sorted(broken)]
        if document is not None:
            found += self.form(kind, document)
            if found and not any(rule in self.OPEN for rule, _ in found):
                found += [("SVC-B006", at) for at in self.open_flags(document, "")]
            if not found:
                found = self.index(document) if "entries" in document else self.artifact(document, "")
        return (None, found) if found else (document, [])

    def code(self, found):
        """The problem that names a refusal as a whole."""
        codes = [self.kit.problem_of(rule) for rule, _ in found]
        if found[0][0].startswith("SVC-J"):
            return codes[0]
        return min(codes, key=lambda code: self.FIRST.index(code) if code in self.FIRST else len(self.FIRST))

    def form(self, kind, document):
        declared = document.get("kind", kind)
        found = self.schema.check(self.kit.artifacts[kind]["schema"], document)
        if declared == kind:
            return found
        # Another kind: its members are not looked at, but an open claim is one in every kind.
        found = [(rule, at) for rule, at in found if rule in self.OPEN and at != "/status"]
        artifact = self.kit.artifacts.get(declared) if isinstance(declared, str) else None
        if artifact and document.get("status") != artifact["status"]:
            found.append(("SVC-B006", "/status"))
        return [("SVC-B001", "/kind")] + found

    def open_flags(self, value, place):
        """The places of flags that are not false, wherever they stand."""
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, inner in members:
            if name == "_meta":
                continue
            at = f"{place}/{str(name).replace('~', '~0').replace('/', '~1')}"
            if name in self.FLAGS and inner is not False:
                yield at
            yield from self.open_flags(inner, at)

    def index(self, document):
        found, last = [], None
        for at, entry in enumerate(document["entries"]):
            place, submission = f"/entries/{at}", entry["submission"]
            found += self.artifact(submission, place + "/submission")
            if entry["submissionDigest"] != self.document_digest(submission):
                found.append(("SVC-B003", place + "/submissionDigest"))
            package, scope = submission["package"], entry["scope"]
            key = [text.encode() for text in (package["id"], package["version"], scope["type"], scope["id"])]
            if last is not None and key <= last:
                found.append(("SVC-B008", place))
            last = key
        parents = [
            {"digest": entry["submissionDigest"], "kind": "svc-registry-submission"} for entry in document["entries"]
        ]
        if document["derivedFrom"] != parents:
            found.append(("SVC-B005", "/derivedFrom"))
        return found + self.seal(document, "")

    def artifact(self, document, at):
        package, manifest = document["packageArtifact"], document["packageArtifact"]["manifest"]
        found = self.seal(document, at) + self.digests(document, at) + self.files(package["files"], at)
        parent = self.kit.artifacts[document["kind"]].get("parent")
        if [row["kind"] for row in document["derivedFrom"]] != ([parent] if parent else []):
            found.append(("SVC-B005", at + "/derivedFrom"))
        for name, value in self.derived(document, manifest).items():
            if document[name] != value:
                found.append(("SVC-B010", f"{at}/{name}"))
        if "reviewReport" in document:
            found += self.report(document, manifest, at)
        if len({fold(row["path"]) for row in package["files"]}) != len({row["path"] for row in package["files"]}):
            found.append(("SVC-B013", at + "/packageArtifact"))
        return found

    def document_digest(self, document):
        bare = {name: value for name, value in document.items() if name not in self.EMBEDDED}
        if "entries" in bare:
            bare["entries"] = [
                {name: value for name, value in entry.items() if name != "submission"} for entry in bare["entries"]
            ]
        return digest(canonical(bare))

    def seal(self, document, at):
        found = []
        if document["documentDigest"] != self.document_digest(document):
            found.append(("SVC-B003", at + "/documentDigest"))
        rules, named = document["ruleset"], self.kit.named_ruleset
        if rules["digest"] == named["digest"] and rules["version"] != named["version"]:
            found.append(("SVC-B010", at + "/ruleset/version"))
        return found

    def digests(self, document, at):
        parts = {"manifest": document["packageArtifact"]["manifest"], "package-artifact": document["packageArtifact"]}
        if "reviewReport" in document:
            parts["review-report"] = document["reviewReport"]
        rows, at = document["artifactDigests"], at + "/artifactDigests"
        media = [(name, self.kit.descriptor_media_types[name]) for name in parts]
        if [(row["name"], row["mediaType"]) for row in rows] != media:
            return [("SVC-B010", at)]
        found = []
        for number, row in enumerate(rows):
            data = canonical(parts[row["name"]])
            for name, value in (("digest", digest(data)), ("size", len(data))):
                if row[name] != value:
                    found.append(("SVC-B003", f"{at}/{number}/{name}"))
        return found

    def files(self, files, at):
        found, nothing, at = [], digest(b""), at + "/packageArtifact/files"
        paths = [row["path"].encode() for row in files]
        unsorted = [number for number in range(1, len(paths)) if paths[number] <= paths[number - 1]]
        if unsorted:  # the first tells it all
            found.append(("SVC-B015", f"{at}/{unsorted[0]}/path"))
        for number, row in enumerate(files):
            place = f"{at}/{number}"
            ending = row["path"].rsplit("/")[-1].rpartition(".")[2].lower()
            if row["mediaType"] != self.kit.media_types.get(ending, self.kit.other_media_type):
                found.append(("SVC-B010", place + "/mediaType"))
            if (row["size"] == 0) != (row["digest"] == nothing):
                found.append(("SVC-B010", place + "/digest"))
        return found

    def derived(self, document, manifest):
        """The members of this document that follow from others: name to the value that they must have."""
        package = {"id": manifest["id"], "version": manifest["version"]}
        declared = {row["name"]: row["digest"].removeprefix("sha256:") for row in document["artifactDigests"]}
        values = {"package": package}
        if "nextGate" in document:
            values["nextGate"] = self.kit.contract["missingGates"][0]
            values["stage"] = "review-report" if manifest["icons"] else "blueprint"
        if "publisher" in document:
            publisher = manifest["publisher"]
            values["publisher"] = {name: publisher[name] for name in ("id", "url") if name in publisher}
            values["proofs"] = self.proofs(document, manifest)
        if "storage" in document:
            key = declared.get("review-report", "")
            values["storage"] = {"key": f"reviews/sha256/{key[:2]}/{key}", "status": "unstored"}
        if "policy" in document:
            values["policy"] = self.capabilities(manifest) | {"host": manifest["engines"]["host"]}
            if "csp" in manifest["entry"]:
                values["policy"]["csp"] = manifest["entry"]["csp"]
        if "statement" in document:
            subjects = ("manifest", "package-artifact")
            statement = {
                "_type": self.kit.forms["statement-type"]["words"][0],
                "predicate": {
                    "gateStatuses": self.kit.readiness["gateStatuses"],
                    "owner": {"id": document["owner"]["id"]},
                    "package": package,
                    "ruleset": document["ruleset"],
                    "visibility": document["visibility"],
                },
                "predicateType": self.kit.forms["predicate-type"]["words"][0],
                "subject": [{"digest": {"sha256": declared.get(name)}, "name": name} for name in subjects],
            }
            values["statement"] = statement
            values["envelope"] = {
                "payload": base64.b64encode(canonical(statement)).decode(),
                "payloadType": self.kit.forms["payload-type"]["words"][0],
                "signatures": [],
            }
        return values

    def capabilities(self, manifest):
        asked = [row["permission"] for row in manifest["permissions"]]
        return {
            "dataCollection": manifest["dataCollection"],
            "isolation": manifest["entry"]["isolation"],
            "origins": manifest["network"]["allow"],
            "permissions": [{"permission": name, "risk": self.kit.risks[name]} for name in asked],
        }

    @staticmethod
    def proofs(document, manifest):
        """What a publisher could prove: by the domain or the repository only where the id lies below it."""
        publisher, rows = manifest["publisher"], []
        claim = {"owner": document["owner"]["id"], "package": manifest["id"], "publisher": publisher["id"]}
        value = digest(canonical(claim))
        host = urlsplit(publisher.get("url", "")).hostname or ""
        labels = host.split(".")[::-1]
        if host and manifest["id"].split(".")[: len(labels)] == labels:
            address = f"https://{host}/.well-known/svc-publisher/{manifest['id']}"
            rows.append({"method": "dns-txt", "name": "_svc-publisher." + host, "status": "unchecked", "value": value})
            rows.append({"method": "well-known-https", "status": "unchecked", "url": address, "value": value})
        address = urlsplit(manifest.get("repository", {}).get("url", ""))
        issuers = {
            "github.com": ("https://token.actions.githubusercontent.com", "repository", ("io.github.", "com.github.")),
            "gitlab.com": ("https://gitlab.com", "project_path", ("io.gitlab.", "com.gitlab.")),
        }
        issuer, name, namespaces = issuers.get(address.hostname, ("", "", ()))
        path = address.path.strip("/").removesuffix(".git")
        owner = path.rpartition("/")[0]
        below = tuple(f"{start}{owner.lower().replace('/', '.')}." for start in namespaces)
        has_groups = "/" in owner and name == "repository"
        if owner and "." not in owner and not has_groups and manifest["id"].startswith(below):
            claim = {"name": name, "value": path}
            rows.append({"claim": claim, "issuer": issuer, "method": "oidc-claim", "status": "unchecked"})
        return rows

    def report(self, document, manifest, at):
        """SVC-B013 as far as it goes without the package rules: a report agrees with itself and its package."""
        report, files = document["reviewReport"], document["packageArtifact"]["files"]
        severities = [row["severity"] for row in report["findings"]]
        counts = {"blockers": "blocker", "notes": "note", "warnings": "warning"}
        checked = {row["code"] for row in report["checks"] if row["result"] != "passed"}
        facts = [canonical({**row, "place": None, "count": 0}) for row in report["facts"]]
        paths = {row["path"] for row in files}
        verdict = "validated-with-warnings" if report["counts"]["warnings"] else "validated"
        holds = {
            "capabilities": report["capabilities"] == self.capabilities(manifest),
            "inventory": report["inventory"] == {"bytes": sum(row["size"] for row in files), "files": len(files)},
            "facts": len(set(facts)) == len(facts)
            and all(row["file"] in paths for row in report["facts"] if "file" in row),
            "checks": bool(report["checks"]) and checked >= {row["code"] for row in report["findings"]},
            "counts": report["truncated"]
            or all(report["counts"][name] == severities.count(word) for name, word in counts.items()),
            "verdict": report["verdict"] == ("blocked" if report["counts"]["blockers"] else verdict),
        }
        found = [("SVC-B013", f"{at}/reviewReport/{name}") for name, good in holds.items() if not good]
        if "blockers" in document:
            listed = [row for row in document["blockers"] if row["code"] != "public-listing"]
            if listed != self.blockers(document):
                found.append(("SVC-B013", at + "/blockers"))
        return found

    def blockers(self, document):
        """What the author must correct, as far as the document tells, then the gates."""
        findings = document.get("reviewReport", {}).get("findings", [])
        codes = dict.fromkeys(row["code"] for row in findings if row["severity"] == "blocker")
        rows = [{"blocksStage": "collection-entry", "code": code, "owner": "author"} for code in codes]
        for gate in self.kit.readiness["gates"]:
            name = gate["gate"]
            if name in self.kit.readiness["missingGates"]:
                rows.append(
                    {
                        "blocksStage": "signed-package",
                        "code": name,
                        "gate": name,
                        "owner": gate["clearedBy"],
                        "status": gate["status"],
                    }
                )
        return rows


def told(rule, pointer, gates):
    """Where an answer says that a finding is: a name that only the client knows is not repeated."""
    around, _, name = pointer.rpartition("/")
    is_foreign = rule == "SVC-B012" or (rule == "SVC-B007" and around.endswith("/gateStatuses") and name not in gates)
    return around if is_foreign else pointer


def fold(path):
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())
