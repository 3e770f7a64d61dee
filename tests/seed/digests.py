"""A second opinion on every digest of a hand-off bundle, with nothing but Python's standard library.

    digests.py check BUNDLE_DIR PACKAGE_DIR   recompute all, print how many were compared, exit 1 on a difference
    digests.py seal FILE...                   rewrite the document digests of changed files (the forger's tool)

Written from the specification, not from the Rust code. The canonical form below equals RFC 8785 only because
member names are ASCII and numbers are integers; the reader refuses everything else.
"""

import base64
import hashlib
import json
import sys
from pathlib import Path

PARENTS = {
    "svc-registry-submission": None,
    "svc-registry-index": None,
    "svc-registry-acceptance-request": "svc-registry-submission",
    "svc-registry-publisher-verification": "svc-registry-submission",
    "svc-registry-review-evidence": "svc-registry-submission",
    "svc-registry-signing-request": "svc-registry-acceptance-request",
    "svc-registry-install-policy": "svc-registry-signing-request",
}
EMBED_THE_REPORT = {
    "svc-registry-submission",
    "svc-registry-acceptance-request",
    "svc-registry-review-evidence",
}


def main(arguments):
    match arguments:
        case ["check", bundle, package]:
            return check(Path(bundle), Path(package))
        case ["seal", *files] if files:
            for file in files:
                seal_file(Path(file))
            return 0
        case _:
            print(__doc__, file=sys.stderr)
            return 2


class Comparison:
    """Counts the digests compared and keeps every difference."""

    def __init__(self):
        self.digests = 0
        self.differences = []

    def digest(self, place, declared, recomputed):
        self.digests += 1
        self.same(place, declared, recomputed)

    def same(self, place, declared, expected):
        if type(declared) is not type(expected) or declared != expected:
            self.differences.append(f"{place}: the file says {declared!r}, it is {expected!r}")


def check(bundle, package):
    seen = Comparison()
    documents = {kind: read(bundle / f"{kind}.json") for kind in PARENTS}
    for kind, document in documents.items():
        seen.same(f"{kind}/kind", document["kind"], kind)
        if kind == "svc-registry-index":
            check_index(seen, document, documents["svc-registry-submission"], package)
        else:
            check_one_package(seen, kind, document, package)
        check_parent(seen, kind, document, documents)
    check_statement(seen, documents["svc-registry-signing-request"])
    for difference in seen.differences:
        print(difference, file=sys.stderr)
    print(seen.digests)
    return 1 if seen.differences else 0


def check_index(seen, index, submission, package):
    seen.digest("index/documentDigest", index["documentDigest"], document_digest(index))
    for number, entry in enumerate(index["entries"]):
        place = f"index/entries/{number}"
        seen.digest(f"{place}/submissionDigest", entry["submissionDigest"], document_digest(entry["submission"]))
        seen.same(f"{place}/submission", entry["submission"], submission)
        check_one_package(seen, "svc-registry-submission", entry["submission"], package, place)


def check_one_package(seen, kind, document, package, place=None):
    place = place or kind
    seen.digest(f"{place}/documentDigest", document["documentDigest"], document_digest(document))
    artifact = document["packageArtifact"]
    values = {"manifest": artifact["manifest"], "package-artifact": artifact}
    seen.same(f"{place} embeds a report", "reviewReport" in document, kind in EMBED_THE_REPORT)
    if "reviewReport" in document:
        values["review-report"] = document["reviewReport"]
    descriptors = document["artifactDigests"]
    seen.same(f"{place} names", [descriptor["name"] for descriptor in descriptors], sorted(values))
    for descriptor in descriptors:
        data = canonical(values[descriptor["name"]])
        seen.digest(f"{place}/{descriptor['name']}", descriptor["digest"], sha256(data))
        seen.same(f"{place}/{descriptor['name']} size", descriptor["size"], len(data))
    for file in artifact["files"]:
        data = (package / file["path"]).read_bytes()
        seen.digest(f"{place}/files/{file['path']}", file["digest"], sha256(data))
        seen.same(f"{place}/files/{file['path']} size", file["size"], len(data))


def check_parent(seen, kind, document, documents):
    parent = PARENTS[kind]
    if parent:
        [link] = document["derivedFrom"]
        seen.same(f"{kind}/derivedFrom kind", link["kind"], parent)
        seen.digest(f"{kind}/derivedFrom", link["digest"], document_digest(documents[parent]))


def check_statement(seen, request):
    """The in-toto statement speaks of the same digests, and the unsigned envelope carries that statement."""
    declared = {descriptor["name"]: descriptor["digest"] for descriptor in request["artifactDigests"]}
    subjects = request["statement"]["subject"]
    seen.same("statement subjects", [subject["name"] for subject in subjects], sorted(declared))
    for subject in subjects:
        hexadecimal = subject["digest"]["sha256"]
        seen.digest(f"statement/{subject['name']}", f"sha256:{hexadecimal}", declared.get(subject["name"]))
    payload = parse(base64.b64decode(request["envelope"]["payload"], validate=True))
    seen.same("envelope payload", payload, request["statement"])


def seal_file(path):
    document = read(path)
    for entry in document.get("entries", []):
        seal(entry["submission"])
        entry["submissionDigest"] = entry["submission"]["documentDigest"]
    seal(document)
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    path.write_bytes(text.encode())


def seal(document):
    document["documentDigest"] = document_digest(document)


def document_digest(document):
    """Over all but itself and the embedded parts, which are under digests of their own."""
    left_out = {"documentDigest", "packageArtifact", "reviewReport"}
    rest = {name: value for name, value in document.items() if name not in left_out}
    if "entries" in rest:
        rest["entries"] = [
            {name: value for name, value in entry.items() if name != "submission"} for entry in rest["entries"]
        ]
    return sha256(canonical(rest))


def canonical(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def read(path):
    return parse(path.read_bytes())


def parse(data):
    text = data.decode("utf-8", errors="strict")
    return json.loads(text, object_pairs_hook=members, parse_float=refuse, parse_constant=refuse)


def members(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names) or not all(name.isascii() for name in names):
        raise ValueError(f"a member twice, or a name beyond ASCII: {names}")
    return dict(pairs)


def refuse(number):
    raise ValueError(f"not an integer: {number}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
