#!/usr/bin/env python3
"""Prints what a program is made of, as CycloneDX 1.6.

usage: scripts/sbom.py PROGRAM [--features NAMES] [--binary FILE]

Every crate that is linked, the C code that some of them bring, and the standard library. Macros are left out: they run at
build time. A crate that may bring C code and has no row here is refused.
"""
import argparse
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Taken from BoringSSL file by file over years, ring's C has no version but that of ring.
C_CODE = {
    "libsqlite3-sys": ("sqlite", "blessing", lambda crate: sqlite_version(crate)),
    "ring": ("boringssl-parts-of-ring", "Apache-2.0 AND ISC", lambda crate: None),
    "tikv-jemalloc-sys": ("jemalloc", "BSD-2-Clause", lambda crate: crate["version"].partition("+")[2]),
}
# The first has a `links` key that keeps two versions apart; the second compiles C for a feature that is off.
NO_C_CODE = {"rayon-core", "signal-hook"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--features", default="")
    parser.add_argument("--binary", type=pathlib.Path)
    wanted = parser.parse_args()
    linked, needs = read_tree(wanted.program, wanted.features)
    own, *crates = linked.values()
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(row["name"], row["version"]): row.get("checksum") for row in lock}
    parts = []
    for crate in sorted(crates, key=purl):
        parts.append(of_crate(crate, "library", checksums[crate["name"], crate["version"]]))
        if code := c_code(crate):
            parts.append(code)
            needs[purl(crate)].add(code["bom-ref"])
    rust = said("rustc", "--version").split()[1]
    parts.append(component("rust-std", rust, "MIT OR Apache-2.0", "generic"))
    needs[purl(own)].add(parts[-1]["bom-ref"])
    made = datetime.datetime.fromtimestamp(int(said("git", "log", "-1", "--format=%ct")), datetime.timezone.utc)
    digest = hashlib.sha256(wanted.binary.read_bytes()).hexdigest() if wanted.binary else None
    print(json.dumps({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": of_crate(own, "application", digest)},
        "components": parts,
        "dependencies": [{"ref": ref, "dependsOn": sorted(needs[ref])} for ref in sorted(needs)],
    }, indent=2))


def said(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def read_tree(program, features):
    """The crates that cargo links, the program first, and what needs what."""
    packages = json.loads(said("cargo", "metadata", "--format-version", "1", "--locked"))["packages"]
    known = {(crate["name"], crate["version"]): crate for crate in packages}
    tree = said("cargo", "tree", "--locked", "--package", program, "--features", features,
                "--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", " {p}")
    linked, needs, above = {}, {}, []
    for line in tree.splitlines():
        depth, name, version = line.split(" ")[:3]
        crate = known[name, version.removeprefix("v")]
        above[int(depth):] = [purl(crate)]
        needs.setdefault(above[-1], set())
        if len(above) > 1:
            needs[above[-2]].add(above[-1])
        linked.setdefault(above[-1], crate)
    return linked, needs


def purl(crate):
    return f"pkg:cargo/{crate['name']}@{encoded(crate['version'])}"


def encoded(version):
    return version.replace("+", "%2B").replace(":", "%3A")


def of_crate(crate, kind, digest):
    # Some crates still write the older form.
    licence = crate["license"].replace("/", " OR ") if crate["license"] else None
    made = component(crate["name"], crate["version"], licence, "cargo", kind)
    return made | ({"hashes": [{"alg": "SHA-256", "content": digest}]} if digest else {})


def component(name, version, licence, registry, kind="library"):
    reference = f"pkg:{registry}/{name}" + (f"@{encoded(version)}" if version else "")
    made = {"type": kind, "bom-ref": reference, "name": name, "purl": reference}
    made |= {"version": version} if version else {}
    return made | ({"licenses": [{"expression": licence}]} if licence else {})


def c_code(crate):
    if row := C_CODE.get(crate["name"]):
        name, licence, version = row
        return component(name, version(crate), licence, "generic")
    compiles = any(need["kind"] == "build" and need["name"] in ("cc", "cmake") for need in crate["dependencies"])
    if (crate["links"] or compiles) and crate["name"] not in NO_C_CODE:
        raise SystemExit(f"{crate['name']} may bring C code with it: it needs a row in {__file__}")
    return None


def sqlite_version(crate):
    header = pathlib.Path(crate["manifest_path"]).parent / "sqlite3/sqlite3.h"
    return re.search(r'#define SQLITE_VERSION\s+"(.*)"', header.read_text()).group(1)


if __name__ == "__main__":
    main()
