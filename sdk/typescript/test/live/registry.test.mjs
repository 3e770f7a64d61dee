// The built package in Node, talking to a running registry.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ARTIFACTS, checkReceipt, createRegistryClient, OPERATIONS, parseArtifact, SDK_DISTRIBUTION_LIFECYCLE_CATALOG, verifyBundle } from "../../dist/index.js";
import { bytes, contract, exampleBundle, expectation, names } from "../kit.mjs";
import { startRegistry } from "./service.mjs";

let registry;
let client;
let calls;

before(async () => {
  registry = await startRegistry();
  client = createRegistryClient({ baseUrl: registry.address });
  calls = {
    "svc-registry-index": client.validateIndex,
    "svc-registry-acceptance-request": client.evaluateAcceptanceRequest,
    "svc-registry-publisher-verification": client.evaluatePublisherVerification,
    "svc-registry-review-evidence": client.evaluateReviewEvidence,
    "svc-registry-signing-request": client.evaluateSigningRequest,
    "svc-registry-install-policy": client.evaluateInstallPolicy,
  };
});
after(() => registry?.stop());

/** A name that only the document has is not repeated in an answer: the object that it stands in is told. */
function rulePlace({ rule, pointer }) {
  const isUnknown = rule === "SVC-B012" || pointer === "/gateStatuses/self-review";
  return `${rule} ${isUnknown ? pointer.slice(0, pointer.lastIndexOf("/")) : pointer}`;
}

test("every attack of the kit is refused by the registry with the findings that the SDK finds", async () => {
  let asked = 0;
  for (const { kind, name } of ARTIFACTS.filter(({ kind }) => kind in calls)) {
    for (const attack of names(name)) {
      const expect = expectation(name, attack);
      if (expect.valid || expect.seenIn === "chain") continue;
      const document = bytes(name, attack);
      const answer = await calls[kind](document);
      assert.equal(answer.ok, false, `${name}/${attack}`);
      assert.equal(answer.problem.code, expect.problem, `${name}/${attack}`);
      const own = parseArtifact(document, kind);
      assert.equal(own.ok, false, `${name}/${attack}`);
      const answered = answer.problem.errors.map(({ rule, pointer }) => `${rule} ${pointer}`);
      assert.deepEqual(answered.sort(), own.findings.map(rulePlace).sort(), `${name}/${attack}`);
      asked += 1;
    }
  }
  assert.ok(asked > 280, `${asked}`);
});

test("the example bundle is valid, sent as file and as document, and denied six times", async () => {
  const files = exampleBundle(ARTIFACTS);
  const checked = verifyBundle(files);
  assert.equal(checked.ok, true);
  assert.deepEqual(Object.keys(calls).sort(), Object.keys(OPERATIONS).sort());
  for (const [kind, call] of Object.entries(calls)) {
    const { file } = ARTIFACTS.find((row) => row.kind === kind);
    const asFile = await call(files[file]);
    const asDocument = await call(checked.artifacts[kind]);
    for (const answer of [asFile, asDocument]) {
      assert.equal(answer.ok, true, kind);
      assert.equal(answer.value.outcome, "denied");
      assert.deepEqual([answer.value.accepted, answer.value.signed, answer.value.installable], [false, false, false]);
      assert.equal(answer.value.artifact.digest, checked.artifacts[kind].documentDigest);
    }
    assert.equal(asFile.value.decisionId, asDocument.value.decisionId, "the same question, the same answer");
    const said = ({ blockers, reviewed, stage }) => ({ blockers, reviewed, stage });
    const own = parseArtifact(files[file], kind).packages.map(said);
    assert.deepEqual((asFile.value.entries ?? [asFile.value]).map(said), own, `${kind}: what the SDK says of the package`);
  }
});

test("the registry's documents are the ones that the package was made from", async () => {
  for (const [call, file] of [
    [client.contract, "hosted-registry-api-contract.json"],
    [client.readiness, "hosted-registry-readiness-contract.json"],
    [client.lifecycle, "lifecycle-catalog.json"],
    [client.openapi, "openapi.json"],
    [() => client.schema("submission"), "schemas/submission.schema.json"],
  ]) {
    const answer = await call();
    assert.equal(answer.ok, true, file);
    assert.deepEqual(answer.value, JSON.parse(contract(file)), file);
  }
  assert.deepEqual((await client.lifecycle()).value, JSON.parse(JSON.stringify(SDK_DISTRIBUTION_LIFECYCLE_CATALOG)));
  for (const call of [client.links, client.ruleset, client.limits, client.version, () => client.problem("digest-mismatch")]) {
    assert.equal((await call()).ok, true);
  }
  const missing = await client.schema("nothing");
  assert.equal(missing.ok, false);
  assert.equal(missing.problem.code, "not-found");
});

test("the receipt of an answer is proven offline, and another answer around it is not", async () => {
  const publicKey = readFileSync(join(registry.data, "journal.pub"), "utf8");
  const asked = [
    await client.evaluateAcceptanceRequest(bytes("acceptance-request", "valid")),
    await client.evaluateAcceptanceRequest(bytes("acceptance-request", "accepted-true")),
  ];
  for (const answer of asked) {
    const body = answer.ok ? answer.value : answer.problem;
    const checked = await checkReceipt(body, { publicKey });
    assert.equal(checked.ok, true, checked.fault);
    assert.equal(checked.withAnswer, true);
    assert.equal(checked.record.requestId, body.requestId);
    assert.deepEqual(await checkReceipt({ ...body, requestId: "another" }, { publicKey }), { ok: false, fault: "other-answer" });
  }
});

test("a registry that is gone is unreachable, and that is an error", async () => {
  const nobody = createRegistryClient({ baseUrl: "http://127.0.0.1:9", timeoutMs: 2000 });
  await assert.rejects(nobody.links(), { code: "unreachable" });
});
