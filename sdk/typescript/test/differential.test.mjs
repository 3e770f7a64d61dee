// The comparison itself: it must see a difference where there is one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalize, parseArtifact, resolveSdkDistributionLifecycleStage } from "../dist/index.js";
import { disagreement } from "../scripts/differential/compare.mjs";
import { makeProof, proofMaterial } from "../scripts/differential/proofs.mjs";
import { Random } from "../scripts/differential/random.mjs";
import { bytes, expectation, json, names, valueOf } from "./kit.mjs";

const kind = "svc-registry-submission";
const question = { kind, document: bytes("submission", "accepted-true") };

function honest() {
  const { findingCount: total, findings, problem } = parseArtifact(question.document, kind);
  return { findings: findings.map(({ rule, pointer, message }) => [rule, pointer, message]), problem, total, warnings: [] };
}

test("another verdict, code, pointer, message or problem is a disagreement", async () => {
  assert.equal(await disagreement(question, honest()), undefined);
  const changes = [
    (answer) => (answer.findings = []),
    (answer) => (answer.findings[0][0] = "SVC-B007"),
    (answer) => (answer.findings[0][1] = "/signed"),
    (answer) => (answer.findings[0][2] += "."),
    (answer) => answer.findings.push(["SVC-B003", "/documentDigest", "x"]),
    (answer) => (answer.problem = "digest-mismatch"),
    (answer) => (answer.total += 1),
  ];
  for (const change of changes) {
    const answer = honest();
    change(answer);
    assert.notEqual(await disagreement(question, answer), undefined, change.toString());
  }
});

test("another digest, warning, or stage, verdict, blocker or finding of a package is a disagreement", async () => {
  const valid = { kind, document: bytes("submission", "own-rules-valid") };
  const { digest, packages } = parseArtifact(valid.document, kind);
  const zero = `sha256:${"0".repeat(64)}`;
  const told = packages.map(({ blockers, findingCounts, package: id, reviewed, stage, verdict }) => {
    const total = Object.values(findingCounts);
    return { blockers, findings: [], package: id, reviewed, stage, total, verdict };
  });
  const answer = () => ({ digest, findings: [], packages: structuredClone(told), warnings: [] });
  assert.equal(await disagreement(valid, answer()), undefined);
  const changes = [
    (its) => (its.stage = "collection-entry"),
    (its) => (its.verdict = "blocked"),
    (its) => (its.reviewed = "without-facts"),
    (its) => its.blockers.pop(),
    (its) => (its.total[0] += 1),
    (its) => its.findings.push(["SVC-L006", null, "/screenshots", null]),
  ];
  for (const change of changes) {
    const changed = answer();
    change(changed.packages[0]);
    assert.notEqual(await disagreement(valid, changed), undefined, change.toString());
  }
  for (const other of [{ packages: [] }, { packages: undefined }, { digest: zero }, { warnings: [["SVC-B009", "", "x"]] }]) {
    assert.notEqual(await disagreement(valid, { ...answer(), ...other }), undefined, JSON.stringify(other));
  }
  assert.notEqual(await disagreement(valid, { findings: [["SVC-J001", "", "x"]], problem: "malformed-json", warnings: [] }), undefined);
});

test("another stage or broken rule of an entry is a disagreement", async () => {
  const entry = bytes("lifecycle", "complete-entry");
  const honest = { ...resolveSdkDistributionLifecycleStage(entry) };
  assert.equal(await disagreement({ entry }, honest), undefined);
  assert.notEqual(await disagreement({ entry }, { ...honest, stage: "review-report" }), undefined);
  assert.notEqual(await disagreement({ entry }, { ...honest, brokenRules: ["SVC-B003"] }), undefined);
});

test("another reason, place in the tree, checkpoint or verdict on a record is a disagreement", async () => {
  const at = (name) => ({
    receipt: bytes("receipts", name),
    keys: `${expectation("receipts", name).publicKeys.join("\n")}\n`,
  });
  assert.equal(await disagreement(at("record-open"), { fault: "not-a-refusal" }), undefined);
  assert.notEqual(await disagreement(at("record-open"), { fault: "malformed" }), undefined);
  const [good, { record, checkpoint, rootHash, treeSize: size }] = [at("first"), valueOf("receipts", "first")];
  const proven = { origin: checkpoint.split("\n")[0], rootHash, size, withAnswer: false };
  assert.equal(await disagreement(good, proven), undefined);
  for (const change of [{ size: size + 1 }, { origin: "x" }, { withAnswer: true }, { fault: "bad-path" }]) {
    assert.notEqual(await disagreement(good, { ...proven, ...change }), undefined, JSON.stringify(change));
  }
  const { withAnswer: _, ...opened } = proven;
  assert.equal(await disagreement({ checkpoint, keys: good.keys }, opened), undefined);
  assert.notEqual(await disagreement({ checkpoint, keys: good.keys }, { fault: "bad-signature" }), undefined);
  const kept = new TextEncoder().encode(canonicalize(record));
  assert.equal(await disagreement({ record: kept }, { record: true }), undefined);
  assert.notEqual(await disagreement({ record: kept }, { record: false }), undefined);
});

// The reasons themselves are compared with the Rust checker by the script; here that there is enough to compare.
test("the cases of chance hold receipts, records and checkpoints, good ones and bad ones", async () => {
  const [from, random, seen] = [proofMaterial(), new Random(7), new Map()];
  assert.equal(from.kit.length, names("receipts").length);
  for (let at = 0; at < 400; at += 1) {
    const proof = makeProof(from, random);
    const of = ["receipt", "record", "checkpoint"].find((name) => proof[name] !== undefined);
    const refused = (await disagreement(proof, { fault: "none" }))?.mine ?? "";
    const verdict = /"fault":"([^"]+)"/.exec(refused)?.[1] ?? (refused.includes(":false}") && of === "record" ? "refused" : "good");
    seen.set(`${of} ${verdict}`, (seen.get(`${of} ${verdict}`) ?? 0) + 1);
  }
  for (const what of ["receipt good", "receipt malformed", "receipt not-a-refusal", "receipt bad-path", "receipt other-answer", "record good", "record refused", "checkpoint good", "checkpoint bad-signature", "checkpoint malformed-checkpoint"]) {
    assert.ok((seen.get(what) ?? 0) > 0, `${what}: ${JSON.stringify([...seen])}`);
  }
});
