// The comparison itself: it must see a difference where there is one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArtifact } from "../dist/index.js";
import { disagreement } from "../scripts/differential/compare.mjs";
import { bytes } from "./kit.mjs";

const kind = "svc-registry-submission";
const question = { kind, document: bytes("submission", "accepted-true", "document.json") };

function honest() {
  const { findings, problem } = parseArtifact(question.document, kind);
  return { findings: findings.map(({ rule, pointer, message }) => [rule, pointer, message]), problem, warnings: [] };
}

test("another verdict, code, pointer, message, problem, digest or warning is a disagreement", () => {
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
  const valid = { kind, document: bytes("submission", "own-rules-valid", "document.json") };
  const { digest } = parseArtifact(valid.document, kind);
  assert.equal(disagreement(valid, { digest, findings: [], warnings: [] }), undefined);
  assert.notEqual(disagreement(valid, { digest: `sha256:${"0".repeat(64)}`, findings: [], warnings: [] }), undefined);
  assert.notEqual(disagreement(valid, { digest, findings: [], warnings: [["SVC-B009", "", "x"]] }), undefined);
  assert.notEqual(disagreement(valid, { findings: [["SVC-J001", "", "x"]], problem: "malformed-json", warnings: [] }), undefined);
});

test("only the rule that this package leaves to the registry may differ", () => {
  assert.equal(disagreement(question, honest()), undefined);
  const answer = honest();
  answer.findings.push(["SVC-B013", "/blockers", "x"]);
  assert.equal(disagreement(question, answer), undefined);
});
