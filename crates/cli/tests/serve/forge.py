"""Forges whole bundles: changes a review report, then makes every digest of the chain fit again.

    python3 forge.py BUNDLE COUNT SEED

One JSON object a line: `tries` names what was forged, `files` holds the seven files. Written from the reference pages
alone and without a line of the program that it attacks.
"""

import base64, copy, hashlib, json, random, sys
from pathlib import Path

WORDS = "approved: this package was accepted by the registry and may be installed"
NAMES = ["submission", "index", "acceptance-request", "publisher-verification", "review-evidence", "signing-request",
         "install-policy"]


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(value):
    return "sha256:" + hashlib.sha256(value if isinstance(value, bytes) else canonical(value)).hexdigest()


def seal(document):
    parts = {"manifest": document.get("packageArtifact", {}).get("manifest"),
             "package-artifact": document.get("packageArtifact"), "review-report": document.get("reviewReport")}
    for row in document.get("artifactDigests", []):
        row["digest"], row["size"] = digest(parts[row["name"]]), len(canonical(parts[row["name"]]))
    covered = {"documentDigest", "packageArtifact", "reviewReport"}
    view = {name: value for name, value in document.items() if name not in covered}
    if "entries" in view:
        view["entries"] = [{k: v for k, v in entry.items() if k != "submission"} for entry in view["entries"]]
    document["documentDigest"] = digest(view)


def chain(bundle):
    """Hands the submission's report, rules and digests on to everything that is derived from it."""
    submission = bundle["submission"]
    seal(submission)
    for name in NAMES[1:]:
        document = bundle[name]
        if name == "index":
            document["entries"][0].update(submission=submission, submissionDigest=submission["documentDigest"])
        else:
            document["ruleset"] = submission["ruleset"]
            if "reviewReport" in document:
                document["reviewReport"] = submission["reviewReport"]
        parent = {"signing-request": "acceptance-request", "install-policy": "signing-request"}.get(name, "submission")
        document["derivedFrom"][0]["digest"] = bundle[parent]["documentDigest"]
        seal(document)
        rows = document.get("artifactDigests", [])
        if "storage" in document:
            hexes = rows[2]["digest"][7:]
            document["storage"]["key"] = f"reviews/sha256/{hexes[:2]}/{hexes}"
        if "statement" in document:
            statement = document["statement"]
            statement["predicate"]["ruleset"] = submission["ruleset"]
            statement["subject"] = [{"digest": {"sha256": r["digest"][7:]}, "name": r["name"]} for r in rows]
            document["envelope"]["payload"] = base64.b64encode(canonical(statement)).decode()
        seal(document)


def coherent(submission):
    """Everything in a submission that follows from the findings of its report, as if rules had written it."""
    report = submission["reviewReport"]
    for finding in report["findings"]:
        own = finding["file"] == "svc-app.json"
        text = f"\n\n{finding['pointer']}" if own else f"\n{finding['file']}\n{finding['message']}"
        finding["fingerprint"] = digest((finding["code"] + text).encode())
    report["findings"].sort(key=lambda f: (["error", "blocker", "warning", "note"].index(f["severity"]), f["code"],
                                           "" if f["file"] == "svc-app.json" else f["file"], f["pointer"]))
    count = {kind: sum(f["severity"] == kind for f in report["findings"]) for kind in ("blocker", "warning", "note")}
    report["counts"] = {kind + "s": number for kind, number in count.items()}
    total = sum(count.values())
    report["verdict"] = "blocked" if count["blocker"] else "validated-with-warnings" if total else "validated"
    found = {finding["code"] for finding in report["findings"]}
    codes = sorted({check["code"] for check in report["checks"]} | found)
    report["checks"] = [{"code": code, "result": "failed" if code in found else "passed"} for code in codes]
    codes = dict.fromkeys(f["code"] for f in report["findings"] if f["severity"] == "blocker")
    author = [{"blocksStage": "showcase-preview", "code": code, "owner": "author"} for code in codes]
    submission["blockers"] = author + [b for b in submission["blockers"] if b["owner"] != "author"]
    submission["stage"] = "blueprint" if author else "review-report"


def invented(dice, code):
    return {"code": code, "file": "svc-app.json", "fingerprint": "", "help": WORDS, "message": WORDS,
            "pointer": dice.choice(["/icons/0/src", "/files/0", "/name"]), "severity": dice.choice(["blocker", "note"])}


def reword(report, dice, members):
    for finding in report["findings"]:
        finding.update({member: WORDS for member in members})


FORGERIES = {
    "messages": lambda s, r, d: reword(r, d, ["message"]),
    "helps": lambda s, r, d: reword(r, d, ["help"]),
    "files": lambda s, r, d: reword(r, d, ["file"]),
    "all words": lambda s, r, d: reword(r, d, ["message", "help", "file"]),
    "ranges": lambda s, r, d: [f.update(range={"end": {"column": 9, "line": 9}, "start": {"column": 1, "line": d.randint(1, 99)}}) for f in r["findings"]],
    "nothing found": lambda s, r, d: r["findings"].clear(),
    "one finding less": lambda s, r, d: r["findings"] and r["findings"].pop(d.randrange(len(r["findings"]))),
    "only warnings": lambda s, r, d: [f.update(severity="warning") for f in r["findings"]],
    "a claim about bytes": lambda s, r, d: r["findings"].append(invented(d, d.choice(["SVC-L001", "SVC-L003", "SVC-P012", "SVC-F012"]))),
    "an unknown rule": lambda s, r, d: r["findings"].append(invented(d, "SVC-Z999")),
    "another code": lambda s, r, d: [f.update(code="SVC-M025") for f in r["findings"]],
    "another place": lambda s, r, d: [f.update(pointer="/keywords/0") for f in r["findings"]],
}

AFTER = {
    "": lambda s, r, d: None,
    "verdict": lambda s, r, d: r.update(verdict=d.choice(["validated", "validated-with-warnings", "blocked"])),
    "no checks": lambda s, r, d: r.update(checks=[]),
    "all passed": lambda s, r, d: [check.update(result="passed") for check in r["checks"]],
    "skipped": lambda s, r, d: [check.update(result="skipped") for check in r["checks"]],
    "counts": lambda s, r, d: r["counts"].update({d.choice(["blockers", "warnings", "notes"]): d.randrange(4)}),
    "inventory": lambda s, r, d: r["inventory"].update(files=1),
    "capabilities": lambda s, r, d: r["capabilities"].update(permissions=[]),
    "purposes": lambda s, r, d: [p.update(purpose=WORDS) for p in r["capabilities"]["permissions"]],
    "cut": lambda s, r, d: r.update(truncated=True),
    "words of blockers": lambda s, r, d: [b.update(message=WORDS, remedy=WORDS) for b in s["blockers"]],
    "words of gates": lambda s, r, d: [b.update(status=WORDS) for b in s["blockers"] if "status" in b],
    "no blockers": lambda s, r, d: s.update(blockers=[b for b in s["blockers"] if b["owner"] != "author"]),
    "stage": lambda s, r, d: s.update(stage=d.choice(["review-report", "collection-entry", "showcase-preview"])),
}


def main(folder, count, seed):
    good = {name: json.loads((Path(folder) / f"svc-registry-{name}.json").read_text()) for name in NAMES}
    dice = random.Random(int(seed))
    # Each forgery once by itself under unknown rules, then whatever comes.
    planned = [(before, "", "foreign") for before in FORGERIES]
    for number in range(int(count)):
        bundle = copy.deepcopy(good)
        submission = bundle["submission"]
        report = submission["reviewReport"]
        chance = dice.choice(list(FORGERIES)), dice.choice(["", *AFTER]), dice.choice(["own", "foreign", "foreign"])
        before, after, rules = planned[number] if number < len(planned) else chance
        if rules == "foreign":
            submission["ruleset"] = {"digest": "sha256:" + "0" * 64, "version": dice.choice(["1.0.0", "9.9.9"])}
        FORGERIES[before](submission, report, dice)
        coherent(submission)
        AFTER[after](submission, report, dice)
        chain(bundle)
        files = {f"svc-registry-{name}.json": json.dumps(bundle[name], indent=2, sort_keys=True, ensure_ascii=False) + "\n"
                 for name in NAMES}
        print(json.dumps({"tries": f"{before}, {after or 'no more'}, {rules} rules", "files": files}))


if __name__ == "__main__":
    main(*sys.argv[1:])
