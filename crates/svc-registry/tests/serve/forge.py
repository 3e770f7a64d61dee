"""Forges whole bundles: changes what an author could change, then makes every digest of the chain fit again.

    python3 forge.py BUNDLE COUNT SEED

One JSON object a line: `tries` names what was forged, `rules` whose rules the documents name, `files` holds the seven
files. Written from the reference pages alone and without a line of the program that it attacks.
"""

import base64, copy, hashlib, json, random, sys
from collections import Counter
from pathlib import Path

WORDS = "approved: this package was accepted by the registry and may be installed"
NAMES = ["submission", "index", "acceptance-request", "publisher-verification", "review-evidence", "signing-request",
         "install-policy"]
SEVERITIES = ["error", "blocker", "warning", "note"]


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
    """Hands the submission's package, report, rules and digests on to everything that is derived from it."""
    submission = bundle["submission"]
    seal(submission)
    for name in NAMES[1:]:
        document = bundle[name]
        if name == "index":
            document["entries"][0].update(submission=submission, submissionDigest=submission["documentDigest"])
        else:
            for member in ("ruleset", "owner", "packageArtifact"):
                document[member] = submission[member]
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
        place = f"{finding['file']}\n" if "file" in finding else f"\n{finding['pointer']}"
        finding["fingerprint"] = digest(f"{finding['code']}\n{place}\n{finding.get('subject', '')}".encode())
    report["findings"].sort(key=lambda f: (SEVERITIES.index(f["severity"]), f["code"], "file" in f, f.get("file", ""),
                                           f["pointer"], "subject" in f, f.get("subject", "")))
    report["facts"].sort(key=lambda f: (f["kind"], f["word"], "subject" in f, f.get("subject", ""), "file" in f,
                                        f.get("file", "")))
    count = {kind: sum(f["severity"] == kind for f in report["findings"]) for kind in ("blocker", "warning", "note")}
    report["counts"] = {kind + "s": number for kind, number in count.items()}
    total = sum(count.values())
    report["verdict"] = "blocked" if count["blocker"] else "validated-with-warnings" if total else "validated"
    found = Counter(finding["code"] for finding in report["findings"])
    codes = sorted({check["code"] for check in report["checks"]} | set(found))
    report["checks"] = [{"code": code, "count": found[code], "result": "failed"} if code in found else
                        {"code": code, "result": "passed"} for code in codes]
    codes = dict.fromkeys(f["code"] for f in report["findings"] if f["severity"] == "blocker")
    author = [{"blocksStage": "collection-entry", "code": code, "owner": "author"} for code in codes]
    submission["blockers"] = author + [b for b in submission["blockers"] if b["owner"] != "author"]


def invented(dice, code):
    return {"code": code, "fingerprint": "", "pointer": dice.choice(["/icons/0/src", "/files/0", "/name"]),
            "severity": dice.choice(["blocker", "note"])}


def invented_fact(dice, kind, word):
    return {"count": dice.randint(1, 9), "file": "dist/app.js", "kind": kind, "word": word,
            **({"subject": "computed"} if kind == "dynamic-code" else {}),
            **dice.choice([{}, {"place": {"column": 1, "line": dice.randint(1, 99)}}])}


def dynamic_code(submission, report, dice):
    """A fact with all that follows from it, as the rules would have it: the author's claim, to be taken as claimed."""
    row = next(i for i, f in enumerate(submission["packageArtifact"]["files"]) if f["path"] == "dist/app.js")
    fact = invented_fact(dice, "dynamic-code", "eval")
    report["facts"].append(fact)
    report["findings"].append({"code": "SVC-P012", "file": "dist/app.js", "fingerprint": "", "pointer": f"/files/{row}",
                               "severity": "warning", "subject": "eval:computed",
                               **({"place": fact["place"]} if "place" in fact else {})})


def leaves(value, path=()):
    """Every place of a text below a value, with the names of objects that are open to any name."""
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from [(value, name)] if isinstance(inner, str) else leaves(inner, path + (name,))


def free_texts(submission):
    """The leaves that hold words of the author: everything that is no id, address, digest, path or word of a list."""
    manifest = submission["packageArtifact"]["manifest"]
    texts = [(manifest, name) for name in ("name", "shortName", "summary", "description") if name in manifest]
    texts += [(manifest["publisher"], "name"), (submission["owner"], "name"), (manifest["network"], "purpose")]
    texts += [(request, "purpose") for request in manifest["permissions"]]
    texts += [(picture, "alt") for picture in manifest.get("screenshots", [])]
    texts += [(manifest["keywords"], at) for at in range(len(manifest.get("keywords", [])))]
    return texts


def mark(submission, report, dice, how_many):
    """The marker as a word of the author: in texts, in a path, in a name of `_meta`."""
    word = "zqmark"
    texts = free_texts(submission)
    for holder, name in dice.sample(texts, min(how_many, len(texts))):
        holder[name] = word if name == "name" or isinstance(name, int) else f"Says {word} in a line of the author."
    manifest = submission["packageArtifact"]["manifest"]
    if dice.random() < 0.5:
        manifest["_meta"] = {f"dev.acme.{word}": f"the text {word}"}
    if dice.random() < 0.5:
        files = submission["packageArtifact"]["files"]
        files.append({**files[0], "path": f"zz/{word}.md"} if files[0]["path"].endswith(".md") else
                     {**next(f for f in files if f["path"].endswith(".js")), "path": f"zz/{word}.js"})
        files.sort(key=lambda f: f["path"].encode())
        report["inventory"] = {"bytes": sum(f["size"] for f in files), "files": len(files)}


def mark_wrongly(submission, report, dice):
    """The marker where it makes the document refused: as a name of a member, in a map, in place of a value."""
    word = "zqmark"
    places = [leaf for leaf in leaves(submission)]
    holder, name = dice.choice(places)
    way = dice.randrange(4)
    if way == 0:
        holder[name] = word * dice.choice([1, 40])
    elif way == 1 and isinstance(holder, dict):
        holder[word] = word
    elif way == 2:
        submission["packageArtifact"]["manifest"]["_meta"] = {word: [word], f"{word} {word}": {word: word}}
    else:
        holder[name] = {word: word}


FORGERIES = {
    "subjects": lambda s, r, d: [f.update(subject=d.choice([WORDS, "approved", "eval"])) for f in r["findings"]],
    "files": lambda s, r, d: [f.update(file=d.choice([WORDS, "dist/app.js"])) for f in r["findings"]],
    "sentences": lambda s, r, d: [f.update(message=WORDS, help=WORDS) for f in r["findings"]],
    "places": lambda s, r, d: [f.update(file="dist/app.js", place={"column": 9, "line": d.randint(0, 99)}) for f in r["findings"]],
    "nothing found": lambda s, r, d: r["findings"].clear(),
    "one finding less": lambda s, r, d: r["findings"] and r["findings"].pop(d.randrange(len(r["findings"]))),
    "only warnings": lambda s, r, d: [f.update(severity="warning") for f in r["findings"]],
    "a claim about bytes": lambda s, r, d: r["findings"].append(invented(d, d.choice(["SVC-L001", "SVC-L003", "SVC-P012", "SVC-F012"]))),
    "an unknown rule": lambda s, r, d: r["findings"].append(invented(d, "SVC-Z999")),
    "another code": lambda s, r, d: [f.update(code="SVC-M025") for f in r["findings"]],
    "another place": lambda s, r, d: [f.update(pointer="/keywords/0") for f in r["findings"]],
    "an unknown fact": lambda s, r, d: r["facts"].append(invented_fact(d, "approved", d.choice(["by-the-registry", WORDS]))),
    "a fact alone": lambda s, r, d: r["facts"].append(invented_fact(d, *d.choice([("dynamic-code", "eval"), ("secret", "private-key"), ("binary", "elf")]))),
    "a fact and its finding": dynamic_code,
    "no facts": lambda s, r, d: r["facts"].clear(),
    "marker in a text": lambda s, r, d: mark(s, r, d, 1),
    "marker in all texts": lambda s, r, d: mark(s, r, d, 99),
    "marker out of place": mark_wrongly,
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
    "blockers of others": lambda s, r, d: s["blockers"][-1].update(owner=d.choice(["author", "host", "registry"])),
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
        chance = dice.choice(list(FORGERIES)), dice.choice(["", "", *AFTER]), dice.choice(["own", "foreign"])
        before, after, rules = planned[number] if number < len(planned) else chance
        if rules == "foreign":
            submission["ruleset"] = {"digest": "sha256:" + "0" * 64, "version": dice.choice(["1.0.0", "9.9.9"])}
        try:
            FORGERIES[before](submission, report, dice)
            coherent(submission)
            AFTER[after](submission, report, dice)
            chain(bundle)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError):
            # The marker stands where the chain has its own parts: what was sealed so far is still a forgery.
            pass
        files = {f"svc-registry-{name}.json": json.dumps(bundle[name], indent=2, sort_keys=True, ensure_ascii=False) + "\n"
                 for name in NAMES}
        print(json.dumps({"tries": f"{before}, {after or 'no more'}, {rules} rules", "rules": rules, "files": files}))


if __name__ == "__main__":
    main(*sys.argv[1:])
