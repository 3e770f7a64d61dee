"""Reads the SBOM of a release with the library of CycloneDX's own project, and once more with a fault in it.

    python sbom.py SBOM
"""

import json
import sys
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def main():
    text = Path(sys.argv[1]).read_text("utf-8")
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    error = validator.validate_str(text)
    assert error is None, error
    assert validator.validate_str(text.replace('"type": "library"', '"type": "libraries"', 1)) is not None, "a wrong type was read"
    document = json.loads(text)
    bom = Bom.from_json(document)
    references = {part["bom-ref"] for part in document["components"]} | {document["metadata"]["component"]["bom-ref"]}
    assert len(references) == len(document["components"]) + 1, "two components have one reference"
    edges = {row["ref"]: row["dependsOn"] for row in document["dependencies"]}
    named = set(edges).union(*edges.values())
    assert named == references, f"not in both: {sorted(named ^ references)}"
    bom.validate()


main()
