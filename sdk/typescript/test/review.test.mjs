// The review is computed again: from the manifest, the file table and the facts, whoever wrote the report.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ARTIFACTS, blockerInWords, GATES, parseArtifact, SVC_DEFAULT } from "../dist/index.js";
import { basisOf } from "../dist/artifact/basis.js";
import { bodyOf } from "../dist/artifact/body.js";
import { reportOf } from "../dist/review/report.js";
import { digestOf, reseal } from "../scripts/differential/reseal.mjs";
import { bytes, expectation, names, valueOf } from "./kit.mjs";

const submission = () => valueOf("submission", "own-rules-valid");
const FOREIGN = { digest: digestOf("other rules"), version: "9.0.0" };

/** A submission with a change, everything that follows from it made to follow, and every digest made to fit. */
function changed(change, document = submission()) {
  change(document);
  reseal(document);
  Object.assign(document, bodyOf(document.kind, basisOf(document)));
  reseal(document);
  return parseArtifact(JSON.stringify(document));
}

const reviewed = (document, facts) => (document.reviewReport = structuredClone(reportOf(SVC_DEFAULT, document.packageArtifact, facts)));
const rows = ({ findings }) => findings.map(({ rule, pointer }) => `${rule} ${pointer}`);

test("the documents of the kit under our own rules are refused for the rules that it names", () => {
  const own = ARTIFACTS.flatMap(({ kind, name }) => names(name).filter((it) => it.startsWith("own-rules-")).map((attack) => ({ kind, name, attack })));
  const refused = own.filter(({ attack }) => attack !== "own-rules-valid");
  for (const { kind, name, attack } of refused) {
    const document = bytes(name, attack);
    assert.equal(JSON.parse(new TextDecoder().decode(document)).ruleset.digest, SVC_DEFAULT.ruleset.digest, attack);
    const parsed = parseArtifact(document, kind);
    assert.equal(parsed.ok, false, attack);
    const expected = expectation(name, attack);
    assert.deepEqual(rows(parsed).sort(), expected.findings.map(({ rule, pointer }) => `${rule} ${pointer}`).sort(), attack);
    assert.equal(parsed.problem, expected.problem, attack);
  }
  assert.ok(refused.length >= 3, `${refused.length}`);
});

test("the report of a good document is what the rules give over its facts, byte for byte", () => {
  for (const entry of valueOf("index", "own-rules-valid").entries) {
    const { packageArtifact, reviewReport } = entry.submission;
    assert.deepEqual(JSON.parse(JSON.stringify(reportOf(SVC_DEFAULT, packageArtifact, reviewReport.facts))), reviewReport);
  }
});

test("every leaf of a report is recomputed: none can be changed, though every digest fits", () => {
  const leaves = [];
  const collect = (value, path) => {
    if (typeof value !== "object") leaves.push(path);
    else for (const key of Object.keys(value)) collect(value[key], [...path, key]);
  };
  collect(submission().reviewReport, []);
  assert.ok(leaves.length > 100);
  const passing = leaves.filter((path) => {
    const { ok } = changed(({ reviewReport }) => {
      const holder = path.slice(0, -1).reduce((inner, key) => inner[key], reviewReport);
      holder[path.at(-1)] = otherThan(holder[path.at(-1)], path.at(-1));
    });
    return ok;
  });
  // How often and where an allowed contact, a picture, a page or a covered power was seen is the author's word, which leaves
  // no mark in any rule.
  const unmarked = /^facts\/(\d+\/count|[03]\/(file|place\/(line|column)))$/;
  assert.deepEqual(passing.map((path) => path.join("/")).filter((path) => !unmarked.test(path)), []);
});

const OTHER_WORDS = { code: "SVC-Z999", file: "README.md", isolation: "none", permission: "camera.capture", result: "skipped", risk: "high", verdict: "blocked", kind: "secret", word: "jpeg", subject: "8x8" };

function otherThan(value, name) {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return OTHER_WORDS[name] ?? "https://other.acme.dev";
}

test("a fact that was taken out or added leaves its mark in the report", () => {
  const without = changed(({ reviewReport }) => (reviewReport.facts = []));
  assert.deepEqual(rows(without), ["SVC-B013 /packageArtifact", "SVC-B013 /reviewReport/checks", "SVC-B013 /reviewReport/counts", "SVC-B013 /reviewReport/findings", "SVC-B013 /reviewReport/verdict"]);
  const seen = { count: 1, file: "dist/app.js", kind: "secret", word: "private-key" };
  assert.match(without.findings[0].message, /SVC-F018/);
  const added = changed((it) => reviewed(it, [...it.reviewReport.facts, seen]));
  assert.deepEqual(rows(added), ["SVC-B013 /packageArtifact"]);
  assert.match(added.findings[0].message, /SVC-F008/);
});

test("a changed fact with its report made again is the author's claim, and its findings are shown", () => {
  const small = changed((it) => {
    it.packageArtifact.manifest.icons[0].sizes = "256x256";
    reviewed(it, it.reviewReport.facts.map((fact) => (fact.kind === "image" ? { ...fact, subject: "256x256" } : fact)));
  });
  assert.equal(small.ok, true);
  const [its] = small.packages;
  assert.deepEqual([its.stage, its.verdict, its.reviewed, small.reviewed], ["review-report", "validated-with-warnings", "as-claimed", "as-claimed"]);
  assert.deepEqual(its.findings.map(({ rule, severity, pointer }) => [rule, severity, pointer]), [["SVC-L003", "warning", "/icons/0/src"]]);
  assert.equal(its.findings[0].message, SVC_DEFAULT.rows["SVC-L003"].title);
  assert.equal(its.findings[0].help, SVC_DEFAULT.rows["SVC-L003"].fix);
});

test("naming other rules changes neither verdict nor blockers: our errors are then the author's to mend", () => {
  const official = changed((it) => {
    it.ruleset = FOREIGN;
    it.packageArtifact.manifest.summary = "The official weather board.";
  });
  assert.equal(official.ok, true);
  assert.deepEqual(official.warnings.map(({ rule }) => rule), ["SVC-B009", "SVC-B017"]);
  const [its] = official.packages;
  assert.deepEqual([its.stage, its.verdict], ["blueprint", "blocked"]);
  assert.deepEqual(its.blockers[0], { blocksStage: "collection-entry", code: "SVC-L009", owner: "author" });
  assert.deepEqual(its.blockers.slice(1).map(({ gate }) => gate), GATES.slice(1).map(({ gate }) => gate));
  assert.deepEqual(official.artifact.blockers.map(({ code }) => code), GATES.slice(1).map(({ gate }) => gate), "the document says less");
});

test("names that would meet on somebody's disk are refused under any rules", () => {
  const meeting = changed((it) => {
    it.ruleset = FOREIGN;
    const { files } = it.packageArtifact;
    files.unshift({ ...files.find(({ path }) => path === "README.md"), path: "Assets/x.md" });
    it.reviewReport.inventory = reportOf(SVC_DEFAULT, it.packageArtifact, it.reviewReport.facts).inventory;
  });
  assert.equal(meeting.ok, false);
  assert.deepEqual(rows(meeting), ["SVC-B013 /packageArtifact"]);
  assert.match(meeting.findings[0].message, /SVC-F003/);
});

test("a document without a report says that facts were not seen", () => {
  for (const name of ["publisher-verification", "signing-request", "install-policy"]) {
    const parsed = parseArtifact(bytes(name, "own-rules-valid"));
    assert.deepEqual(parsed.packages.map(({ reviewed, stage }) => [reviewed, stage]), [["without-facts", "showcase-preview"]], name);
    assert.equal(parsed.reviewed, "without-facts", name);
  }
});

test("a blocker that is not the review's is refused, and what it means is said in our words", () => {
  const document = submission();
  document.blockers[0].owner = "author";
  reseal(document);
  assert.deepEqual(rows(parseArtifact(JSON.stringify(document))), ["SVC-B013 /blockers"]);
  const published = changed((it) => (it.visibility = "public"));
  assert.deepEqual(published.packages[0].blockers.at(-1), { blocksStage: "signed-package", code: "public-listing", gate: "review-storage", owner: "registry", status: "unstored" });
  for (const blocker of published.packages[0].blockers) {
    const { message, remedy } = blockerInWords(blocker);
    assert.ok(message !== "" && remedy !== "", blocker.code);
  }
  const unknown = blockerInWords({ blocksStage: "collection-entry", code: "SVC-Z999", owner: "author" });
  assert.equal(unknown.message, "a rule that this svc does not know");
  assert.equal(blockerInWords({ blocksStage: "collection-entry", code: "SVC-M022", owner: "author" }).remedy, SVC_DEFAULT.rows["SVC-M022"].fix);
});
