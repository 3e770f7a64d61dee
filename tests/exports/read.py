"""Reads the exports of a bundle with the libraries of their own projects, and holds them against the bundle.

    python read.py BUNDLE STATEMENT_FOLDER SBOM

Every export is also read after one thing in it was changed, which must be found.
"""

import hashlib
import json
import sys
from pathlib import Path

import in_toto_attestation.v1.statement_pb2 as statement_pb2
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from google.protobuf import json_format
from in_toto_attestation.v1.statement import Statement


def statement_of(text):
    statement = Statement.copy_from_pb(json_format.Parse(text, statement_pb2.Statement()))
    statement.validate()
    return statement


def refused(read, text):
    try:
        read(text)
    except Exception:
        return True
    return False


def main():
    bundle, folder, sbom = map(Path, sys.argv[1:])
    submission = json.loads((bundle / "svc-registry-submission.json").read_text("utf-8"))
    digests = {row["name"]: row["digest"].removeprefix("sha256:") for row in submission["artifactDigests"]}

    text = (folder / "statement.json").read_text("utf-8")
    subjects = {subject.name: subject.digest["sha256"] for subject in statement_of(text).pb.subject}
    assert subjects == {name: digests[name] for name in ("manifest", "package-artifact")}, subjects
    for name, digest in subjects.items():
        assert hashlib.sha256((folder / "subjects" / f"{name}.json").read_bytes()).hexdigest() == digest, name
    assert refused(statement_of, text.replace("Statement/v1", "Statement/v9")), "another type of statement was read"

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    text = sbom.read_text("utf-8")
    error = validator.validate_str(text)
    assert error is None, error
    assert validator.validate_str(text.replace('"SHA-256"', '"SHA-257"', 1)) is not None, "a wrong algorithm was read"
    document = json.loads(text)
    files = {row["name"]: row["hashes"][0]["content"] for row in document["components"]}
    packed = {row["path"]: row["digest"].removeprefix("sha256:") for row in submission["packageArtifact"]["files"]}
    assert files == packed, "the files of the SBOM are not those of the package"
    assert document["metadata"]["component"]["hashes"][0]["content"] == digests["package-artifact"]
    print(f"{len(subjects)} subjects and {len(files)} files read")


main()
