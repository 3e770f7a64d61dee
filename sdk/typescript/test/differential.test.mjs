// The comparison itself: it must see a difference where there is one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArtifact, resolveSdkDistributionLifecycleStage } from "../dist/index.js";
import { disagreement } from "../scripts/differential/compare.mjs";
import { bytes } from "./kit.mjs";

const kind = "svc-registry-submission";
const question = { kind, document: bytes("submission", "accepted-true", "document.json") };

function honest() {
  const { findings, problem } = parseArtifact(question.document, kind);
  return { findings: findings.map(({ rule, pointer, message }) => [rule, pointer, message]), problem, warnings: [] };
}

test("another verdict, code, pointer, message or problem is a disagreement", () => {
  assert.equal(disagreement(question, honest()), undefined);
  const changes = [
    (answer) => (answer.findings = []),
    (answer) => (answer.findings[0][0] = "SVC-B007"),
    (answer) => (answer.findings[0][1] = "/signed"),
    (answer) => (answer.findings[0][2] += "."),
    (answer) => answer.findings.push(["SVC-B003", "/documentDigest", "x"]),
    (answer) => (answer.problem = "digest-mismatch"),
  ];
  for (const change of changes) {
    const answer = honest();
    change(answer);
    assert.notEqual(disagreement(question, answer), undefined, change.toString());
  }
});

test("another digest, warning, or stage, verdict, blocker or finding of a package is a disagreement", () => {
  const valid = { kind, document: bytes("submission", "own-rules-valid", "document.json") };
  const { digest, packages } = parseArtifact(valid.document, kind);
  const zero = `sha256:${"0".repeat(64)}`;
  const told = packages.map(({ blockers, package: id, reviewed, stage, verdict }) => ({ blockers, findings: [], package: id, reviewed, stage, verdict }));
  const answer = () => ({ digest, findings: [], packages: structuredClone(told), warnings: [] });
  assert.equal(disagreement(valid, answer()), undefined);
  const changes = [
    (its) => (its.stage = "collection-entry"),
    (its) => (its.verdict = "blocked"),
    (its) => (its.reviewed = "without-facts"),
    (its) => its.blockers.pop(),
    (its) => its.findings.push(["SVC-L006", null, "/screenshots", null]),
  ];
  for (const change of changes) {
    const changed = answer();
    change(changed.packages[0]);
    assert.notEqual(disagreement(valid, changed), undefined, change.toString());
  }
  for (const other of [{ packages: [] }, { packages: undefined }, { digest: zero }, { warnings: [["SVC-B009", "", "x"]] }]) {
    assert.notEqual(disagreement(valid, { ...answer(), ...other }), undefined, JSON.stringify(other));
  }
  assert.notEqual(disagreement(valid, { findings: [["SVC-J001", "", "x"]], problem: "malformed-json", warnings: [] }), undefined);
});

test("another stage or broken rule of an entry is a disagreement", () => {
  const entry = bytes("lifecycle", "complete-entry", "entry.json");
  const honest = { ...resolveSdkDistributionLifecycleStage(entry) };
  assert.equal(disagreement({ entry }, honest), undefined);
  assert.notEqual(disagreement({ entry }, { ...honest, stage: "review-report" }), undefined);
  assert.notEqual(disagreement({ entry }, { ...honest, brokenRules: ["SVC-B003"] }), undefined);
});
