// Whoever reads a table or a result cannot change what it says.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as closed from "../dist/closed.js";
import * as sdk from "../dist/index.js";
import { bytes, exampleBundle, expectation, json, names, repository, valueOf } from "./kit.mjs";

/** Asserts that nothing in a value can be written, at any depth. Functions are code, and no part of what is said. */
function isFrozen(value, place) {
  if (typeof value !== "object" || value === null) return;
  assert.ok(Object.isFrozen(value), `${place} can be written`);
  const [name = "accepted"] = Object.keys(value);
  assert.throws(() => (value[name] = true), TypeError, `${place}/${name} is written`);
  for (const [name, member] of Object.entries(value)) isFrozen(member, `${place}/${name}`);
}

test("every export is frozen at every depth", () => {
  for (const [name, value] of Object.entries(sdk)) isFrozen(value, name);
  const resolution = sdk.resolveSdkDistributionLifecycleStage(valueOf("lifecycle", "complete-entry"));
  const { sentence } = sdk.describePackage(resolution);
  const { stages } = sdk.SDK_DISTRIBUTION_LIFECYCLE_CATALOG;
  assert.throws(() => (stages[3].label = "Approved"), TypeError);
  assert.throws(() => (sdk.GATES[3].status = "signed"), TypeError);
  assert.throws(() => sdk.GATES.pop(), TypeError);
  assert.equal(sdk.describePackage(resolution).sentence, sentence);
});

test("every table behind the exports is frozen too", async () => {
  const files = readdirSync(join(repository, "sdk/typescript/dist/generated")).filter((file) => file.endsWith(".js"));
  for (const file of files) {
    for (const [name, table] of Object.entries(await import(`../dist/generated/${file}`))) isFrozen(table, name);
  }
  for (const [name, table] of Object.entries(closed)) isFrozen(table, name);
  assert.ok(files.length > 10, `${files.length} files`);
});

test("what was found out about a document is frozen, and the document with it", () => {
  for (const { name, kind } of sdk.ARTIFACTS) {
    for (const each of names(name)) {
      const document = bytes(name, each);
      isFrozen(sdk.parseArtifact(document), `${name}/${each}`);
      isFrozen(sdk.parseArtifact(document, kind), `${name}/${each}`);
      isFrozen(sdk.parseStrictJson(document), `${name}/${each}`);
    }
  }
  isFrozen(sdk.parseArtifact(" ".repeat(2 ** 25)), "too large");
  const parsed = sdk.parseArtifact(bytes("submission", "own-rules-valid"));
  assert.throws(() => (parsed.packages[0].package.id = "dev.acme.other"), TypeError);
  assert.throws(() => (parsed.packages[0].blockers[0].owner = "author"), TypeError);
  assert.throws(() => (parsed.artifact.accepted = true), TypeError);
  assert.throws(() => (parsed.artifact.packageArtifact.manifest.name = "Other"), TypeError);
  for (const blocker of parsed.packages[0].blockers) isFrozen(sdk.blockerInWords(blocker), blocker.code);
  isFrozen(sdk.describePackage(parsed), "description");
});

test("what was found out about a bundle is frozen", () => {
  const files = exampleBundle(sdk.ARTIFACTS);
  const drifted = bytes("acceptance-request", "owner-drift-resealed");
  const whole = sdk.verifyBundle(files);
  const broken = sdk.verifyBundle({ ...files, "svc-registry-acceptance-request.json": drifted });
  assert.deepEqual([whole.ok, broken.ok, broken.brokenEdge !== undefined], [true, false, true]);
  isFrozen(whole, "whole");
  isFrozen(broken, "broken");
  isFrozen(sdk.verifyBundle({}), "empty");
  const { artifact } = sdk.parseArtifact(drifted);
  const fault = sdk.edgeFault(artifact, whole.artifacts["svc-registry-submission"]);
  assert.equal(fault.rule, "SVC-B010");
  isFrozen(fault, "edge");
});

test("where an entry stands is frozen, and the entry itself is not", () => {
  for (const name of names("lifecycle")) {
    const entry = valueOf("lifecycle", name);
    const resolution = sdk.resolveSdkDistributionLifecycleStage(entry);
    isFrozen(resolution, name);
    isFrozen(sdk.describePackage(resolution), name);
    assert.ok(!Object.isFrozen(entry), name);
  }
});

test("what a receipt proves is frozen, and the answer itself is not", async () => {
  for (const name of names("receipts")) {
    const { publicKeys } = expectation("receipts", name);
    const answer = valueOf("receipts", name);
    isFrozen(await sdk.checkReceipt(answer, { publicKey: publicKeys.join("\n") }), name);
    assert.ok(!Object.isFrozen(answer), name);
  }
});

test("a client, its answers and what its errors tell are frozen", async () => {
  const body = bytes("receipts", "whole-decision");
  const clientOf = (text) =>
    sdk.createRegistryClient({
      baseUrl: "https://registry.example",
      fetch: async () => new Response(text, { headers: { "content-type": "application/json" } }),
    });
  const request = bytes("acceptance-request", "valid");
  isFrozen(clientOf(body), "client");
  const answer = await clientOf(body).evaluateAcceptanceRequest(request);
  assert.equal(answer.ok, true);
  isFrozen(answer, "answer");
  isFrozen(await clientOf('{"links":[]}').links(), "document");
  const opened = await clientOf('{"accepted":true}').links().catch((error) => error);
  assert.ok(opened instanceof sdk.FailOpenError);
  isFrozen(opened.pointers, "pointers");
  const unread = await clientOf("{").links().catch((error) => error);
  assert.ok(unread.findings.length > 0);
  isFrozen(unread.findings, "findings");
});
