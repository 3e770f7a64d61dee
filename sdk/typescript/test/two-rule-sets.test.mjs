// Two rule sets in one program: what is evaluated is judged by the rules that are given, and by no others.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ARTIFACTS, blockerInWords, parseArtifact, resolveSdkDistributionLifecycleStage, SVC_DEFAULT, verifyBundle } from "../dist/index.js";
import { basisOf } from "../dist/artifact/basis.js";
import { bodyOf } from "../dist/artifact/body.js";
import { reportOf } from "../dist/review/report.js";
import { findingsOf } from "../dist/rules/run.js";
import { packageOf } from "../dist/rules/package.js";
import { digestOf, reseal } from "../scripts/differential/reseal.mjs";
import { exampleBundle, valueOf } from "./kit.mjs";

const WAY_OUT = "Ask the host what it shows.";

/** `svc.default` with changes of one rule, under another digest. */
function changed(code, row, parameters = {}) {
  return {
    ruleset: { digest: digestOf(JSON.stringify([code, row, parameters])), version: "1.0.0" },
    rows: { ...SVC_DEFAULT.rows, [code]: { ...SVC_DEFAULT.rows[code], ...row } },
    parameters: { ...SVC_DEFAULT.parameters, [code]: { ...SVC_DEFAULT.parameters[code], ...parameters } },
  };
}

const STRICT = changed("SVC-L006", { severity: "blocker", fix: WAY_OUT });
const REFUSING = changed("SVC-L006", { severity: "error" });
const WORDY = changed("SVC-P003", {}, { length: 400 });

/** The submission of the kit without screenshots, as these rules make it. */
function submissionBy(rules) {
  const document = valueOf("submission", "own-rules-valid");
  delete document.packageArtifact.manifest.screenshots;
  document.ruleset = rules.ruleset;
  document.reviewReport = structuredClone(reportOf(rules, document.packageArtifact, document.reviewReport.facts));
  reseal(document);
  Object.assign(document, bodyOf(document.kind, basisOf(document)));
  reseal(document);
  return document;
}

test("a severity and a parameter count under the rules that have them alone", () => {
  const { manifest } = submissionBy(SVC_DEFAULT).packageArtifact;
  const weightOf = (rules, code) => findingsOf(packageOf(rules, manifest)).find(({ rule }) => rule === code)?.severity;
  // Twice, so that nothing of one stays for the other.
  for (let time = 0; time < 2; time += 1) {
    assert.deepEqual([SVC_DEFAULT, STRICT, REFUSING].map((rules) => weightOf(rules, "SVC-L006")), ["warning", "blocker", "error"]);
    assert.deepEqual([SVC_DEFAULT, WORDY].map((rules) => weightOf(rules, "SVC-P003")), [undefined, "warning"]);
  }
});

test("each rule set takes its own documents, and judges those of the other by itself", () => {
  const [byOwn, byStrict] = [submissionBy(SVC_DEFAULT), submissionBy(STRICT)].map((document) => JSON.stringify(document));
  const judged = (text, rules) => {
    const { ok, packages, warnings } = parseArtifact(text, undefined, rules);
    assert.equal(ok, true);
    return [packages[0].verdict, warnings.some(({ rule }) => rule === "SVC-B017")];
  };
  assert.deepEqual(judged(byOwn), ["validated-with-warnings", false]);
  assert.deepEqual(judged(byStrict, STRICT), ["blocked", false]);
  assert.deepEqual(judged(byOwn, STRICT), ["blocked", true]);
  assert.deepEqual(judged(byStrict), ["validated-with-warnings", true]);
  const [blocker] = parseArtifact(byStrict, "svc-registry-submission", STRICT).packages[0].blockers;
  assert.deepEqual([blocker.code, blockerInWords(blocker, STRICT).remedy], ["SVC-L006", WAY_OUT]);
  assert.notEqual(blockerInWords(blocker).remedy, WAY_OUT);
});

test("a document that names rules which it does not keep is refused by them", () => {
  const document = submissionBy(SVC_DEFAULT);
  document.ruleset = STRICT.ruleset;
  reseal(document);
  const { ok, problem } = parseArtifact(JSON.stringify(document), undefined, STRICT);
  assert.deepEqual([ok, problem], [false, "review-mismatch"]);
});

test("a stage follows from the rules at hand", () => {
  const { manifest } = submissionBy(SVC_DEFAULT).packageArtifact;
  const stages = [SVC_DEFAULT, REFUSING].map((rules) => resolveSdkDistributionLifecycleStage(manifest, rules).stage);
  assert.deepEqual(stages, ["showcase-preview", "blueprint"]);
});

test("a bundle under rules that it does not name is warned of, file by file", () => {
  const files = exampleBundle(ARTIFACTS, "own-rules-valid");
  const named = ({ warnings }) => new Set(warnings.filter(({ rule }) => rule === "SVC-B017").map(({ file }) => file)).size;
  assert.equal(named(verifyBundle(files, WORDY)) - named(verifyBundle(files)), 7);
});
