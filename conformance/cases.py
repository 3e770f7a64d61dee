"""Prints a case of the kit, byte for byte: python3 cases.py TABLE.json#NAME [policy|checkpoint]"""
import json, sys
from pathlib import Path
KIT = Path(__file__).resolve().parent

def steps(pointer):
    return [int(part) if part.isdigit() else part for part in pointer.split("/")[1:]]

def made(source):
    if isinstance(source, str):
        return source
    if "join" in source:
        return "".join(made(part) for part in source["join"])
    if "value" in source:
        return source["value"]
    name, _, pointer = source["copy"].partition("#")
    value = json.loads((KIT / "documents" / f"{name}.json").read_bytes())
    for step in steps(pointer):
        value = value[step]
    return value

def document(row):
    root = [made({"copy": row["base"]})]
    for edit in row.get("edits", []) + row.get("computed", []):
        action = next(name for name in ("at", "insert", "remove") if name in edit)
        parent, *path, last = root, 0, *steps(edit[action])
        for step in path:
            parent = parent[step]
        if action == "at":
            parent[last] = made(edit)
        else:
            parent.insert(last, made(edit)) if action == "insert" else parent.pop(last)
    text = json.dumps(root[0], indent=2, ensure_ascii=False, sort_keys=True).encode() + b"\n"
    start, end, inserted = row.get("splice", (0, 0, ""))
    return text[:start] + inserted.encode() + text[end:]

if __name__ == "__main__":
    table, name = sys.argv[1].split("#")
    row = next(row for row in json.loads((KIT / table).read_bytes()) if row["name"] == name)
    sys.stdout.buffer.write(made(row[sys.argv[2]]).encode() if sys.argv[2:] else document(row))
