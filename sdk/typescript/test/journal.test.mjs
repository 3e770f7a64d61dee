// The calls that read the log: what they give is proven, and what is not proven is thrown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReceipt, createRegistryClient, FailOpenError, LogError, ProofError } from "../dist/index.js";
import { reply, request } from "./answers.mjs";
import { Log, makeKey } from "./log.mjs";
import { Registry, text } from "./registry.mjs";

/** A client of a registry with some records, which may lie about the paths below the journal. */
function meet(lie, registry = new Registry().grow(5)) {
  const fetch = registry.fetchWith(lie === undefined ? undefined : (asked, honest) => lie(asked.path.replace("/journal/", ""), honest, registry));
  const client = createRegistryClient({ baseUrl: "https://registry.example", fetch, journal: { publicKeys: [registry.log.publicKey] } });
  return { client, registry };
}

const entryLie = (change) => (path, honest, registry) => {
  if (!path.startsWith("entries")) return honest();
  const page = { entries: [{ record: structuredClone(registry.log.records[2]) }], size: 5 };
  change(page);
  return reply(page);
};

test("a checkpoint is given when it is signed and comes after everything that was seen", async () => {
  const { client, registry } = meet();
  const { value } = await client.journal.checkpoint();
  assert.deepEqual(value, { origin: registry.log.key.name, size: 5, rootHash: registry.log.receipt().rootHash, note: registry.log.checkpoint(), logSize: 5 });
  registry.grow(3);
  assert.equal((await client.journal.checkpoint()).value.size, 8);
  registry.log = registry.log.fork(6);
  await assert.rejects(client.journal.checkpoint(), (error) => error instanceof LogError && error.code === "log-shrank" && error.evidence[0].size === 8 && error.evidence[1].size === 6);
});

test("a checkpoint of anybody else, or of no form, is thrown", async () => {
  const rows = {
    "proof-unknown-key": () => new Log({ byte: 9 }).note(5, Buffer.alloc(32)),
    "proof-bad-signature": (log) => log.checkpoint().replace("\n5\n", "\n6\n"),
    "proof-malformed-checkpoint": () => "5",
  };
  for (const [code, note] of Object.entries(rows)) {
    const { client } = meet((path, honest, { log }) => (path === "checkpoint" ? text(note(log)) : honest()));
    await assert.rejects(client.journal.checkpoint(), (error) => error instanceof ProofError && error.code === code, code);
  }
  const { client } = meet((path, honest, registry) => registry.send(registry.refusal("not-found", 404)));
  assert.equal((await client.journal.checkpoint()).problem.code, "not-found", "a log that nothing was put into");
  const { client: binary } = meet(() => text(Uint8Array.of(0xff)));
  await assert.rejects(binary.journal.checkpoint(), { code: "contract" });
});

test("a record is given by its place, proven", async () => {
  const { client, registry } = meet(undefined, new Registry().grow(300));
  for (const index of [0, 1, 255, 256, 299]) {
    const { value } = await client.journal.entry(index);
    assert.deepEqual(value.record, registry.log.records[index]);
    assert.equal(value.checkpoint.size, 300);
    assert.ok(Object.isFrozen(value.record));
  }
  assert.deepEqual(await client.journal.entry(300), { ok: true, value: undefined });
  for (const odd of [-1, 0.5, Number.NaN, 2 ** 53, "1"]) await assert.rejects(client.journal.entry(odd), { code: "configuration" });
});

const ENTRY_LIES = {
  "an entry that says yes": ["fail-open", (page) => (page.entries[0].record.installable = true)],
  "an entry with an outcome of a yes": ["fail-open", (page) => (page.entries[0].record.outcome = "accepted")],
  "who asked, proven": ["contract", (page) => (page.entries[0].attribution = { proven: true })],
  "a changed record": ["proof-bad-path", (page) => (page.entries[0].record.requestId = "other-2")],
  "a record of another place": ["proof-other-place", (page) => (page.entries[0].record.sequence = 1)],
  "a record without its decision": ["proof-not-a-refusal", (page) => delete page.entries[0].record.decisionId],
  "a date of no day": ["proof-malformed", (page) => (page.entries[0].record.time = "2026-02-30T06:00:00.000Z")],
  "no list": ["contract", (page) => (page.entries = {})],
};

test("a record that the log does not hold is thrown", async () => {
  for (const [name, [code, change]] of Object.entries(ENTRY_LIES)) {
    await assert.rejects(meet(entryLie(change)).client.journal.entry(2), { code }, name);
  }
  assert.equal((await meet(entryLie(() => {})).client.journal.entry(2)).ok, true, "the control");
  const pruned = meet(entryLie((page) => (page.entries[0].record.sequence = 3)));
  assert.equal((await pruned.client.journal.entry(2)).value, undefined, "a record of which the hash alone is kept");
  const { client: opened } = meet(entryLie((page) => (page.accepted = true)));
  await assert.rejects(opened.journal.entry(2), FailOpenError);
});

test("who asked is told where the registry tells it, and is never proven", async () => {
  const attribution = { owner: "acme", package: { id: "dev.acme.weather-board", version: "1.2.0" }, proven: false };
  const { client } = meet(entryLie((page) => (page.entries[0].attribution = attribution)));
  assert.deepEqual((await client.journal.entry(2)).value.attribution, attribution);
});

test("a stored receipt is checked, and that the log still holds it", async () => {
  const { client, registry } = meet();
  const stored = JSON.stringify(registry.log.receipt(2, 4));
  const answer = registry.decide();
  registry.grow(300);
  const { value } = await client.journal.checkReceipt(stored);
  assert.deepEqual([value.record.sequence, value.checkpoint.size, value.withAnswer], [2, 4, false]);
  assert.equal((await client.journal.checkReceipt(answer)).value.withAnswer, true);
  assert.equal((await client.journal.checkReceipt(registry.log.receipt(0, 1))).ok, true);

  await assert.rejects(client.journal.checkReceipt({ ...answer, requestId: "another" }), { code: "proof-other-answer" });
  await assert.rejects(client.journal.checkReceipt({ ...answer, accepted: true }), { code: "proof-not-a-refusal" });
  await assert.rejects(client.journal.checkReceipt("{}"), { code: "proof-malformed" });

  const other = new Registry().grow(2);
  other.log.add({ ...other.log.records[0], sequence: 2, time: "2026-11-15T07:00:00.000Z" });
  other.grow(1);
  assert.equal((await checkReceipt(other.log.receipt(2, 4), { publicKey: registry.log.publicKey })).ok, true, "good by itself");
  await assert.rejects(client.journal.checkReceipt(other.log.receipt(2, 4)), (error) => error.code === "log-forked" && error.evidence[0].size === 4);
  other.grow(600);
  await assert.rejects(client.journal.checkReceipt(other.log.receipt(2)), { code: "log-shrank" });
});

test("keys are told as the registry names them, and everything else needs keys from elsewhere", async () => {
  const registry = new Registry().grow(1);
  const trusting = createRegistryClient({ baseUrl: "https://registry.example", fetch: registry.fetchWith() });
  assert.deepEqual((await trusting.journal.keys()).value, [registry.log.publicKey]);
  for (const call of [() => trusting.journal.checkpoint(), () => trusting.journal.entry(0), () => trusting.journal.checkReceipt("{}")]) {
    await assert.rejects(call(), { code: "configuration" });
  }
  assert.equal((await trusting.evaluateAcceptanceRequest(request)).ok, true, "and nothing is insisted on");
  const odd = createRegistryClient({ baseUrl: "https://registry.example", fetch: async () => text("no keys") });
  await assert.rejects(odd.journal.keys(), { code: "contract" });
});

test("a record is given with its proof in one request", async () => {
  const { client, registry } = meet(undefined, new Registry().grow(300));
  for (const index of [0, 1, 255, 256, 299]) {
    const asked = registry.asked.length;
    const { value } = await client.journal.proof(index);
    assert.deepEqual(value.record, registry.log.records[index]);
    assert.equal(value.checkpoint.size, 300);
    assert.equal(registry.asked.length, asked + 1);
  }
  assert.equal((await client.journal.proof(300)).problem.code, "not-found");
  for (const odd of [-1, 0.5, Number.NaN, 2 ** 53, "1"]) await assert.rejects(client.journal.proof(odd), { code: "configuration" });
});

const PROOF_LIES = {
  "another record": ["proof-bad-path", (log) => log.textProof(2, { ...log.records[2], requestId: "other-2" })],
  "the proof of another place": ["proof-other-place", (log) => log.textProof(1)],
  "another place in the record": ["proof-other-place", (log) => log.textProof(2, log.records[1])],
  "a record that says yes": ["proof-not-a-refusal", (log) => log.textProof(2, { ...log.records[2], accepted: true })],
  "a record without its decision": ["proof-not-a-refusal", (log) => log.textProof(2, (({ decisionId: _, ...rest }) => rest)(log.records[2]))],
  "no record": ["proof-malformed", (log) => log.textProof(2, { accepted: false })],
  "a hash left out": ["proof-bad-path", (log) => log.textProof(2).replace(/(index 2\n)[^\n]+\n/, "$1")],
  "an index with a zero": ["proof-malformed", (log) => log.textProof(2).replace("index 2", "index 02")],
  "another form": ["proof-malformed", (log) => log.textProof(2).replace("@v1", "@v2")],
  "another size": ["proof-bad-signature", (log) => log.textProof(2).replace("\n5\n", "\n6\n")],
  "another key": ["proof-unknown-key", () => foreignProof()],
  "an earlier state of another log": ["log-forked", (log) => otherLog(log).textProof(2)],
};

/** The log up to its third record, which is another. */
function otherLog(log) {
  const other = log.fork(2);
  other.add({ ...log.records[2], requestId: "rewritten" });
  return other;
}

function foreignProof() {
  const registry = new Registry();
  registry.log = new Log({ byte: 9 });
  return registry.grow(5).log.textProof(2);
}

test("a proof as text that proves nothing is thrown", async () => {
  for (const [name, [code, lie]] of Object.entries(PROOF_LIES)) {
    const { client } = meet((path, honest, { log }) => (path.startsWith("proof/") ? text(lie(log)) : honest()));
    await client.journal.checkpoint();
    await assert.rejects(client.journal.proof(2), { code }, name);
  }
  const { client } = meet((path, honest, { log }) => (path.startsWith("proof/") ? text(log.textProof(2).replace(/extra [^\n]+\n/, "")) : honest()));
  assert.deepEqual(await client.journal.proof(2), { ok: true, value: undefined }, "a record of which the hash alone is kept");
  const { client: earlier } = meet((path, honest, { log }) => (path.startsWith("proof/") ? text(log.fork(3).textProof(2)) : honest()));
  await earlier.journal.checkpoint();
  assert.equal((await earlier.journal.proof(2)).value.checkpoint.size, 3, "an earlier state of this log proves it too: it may be the one that witnesses saw");
});

test("with a policy no state counts that its quorum has not seen", async () => {
  const witness = makeKey("witness.example/w", 50, 4);
  const registry = new Registry().grow(5);
  const policy = `log ${registry.log.publicKey}\nwitness w ${witness.publicKey}\nquorum w\n`;
  let served = () => registry.log.checkpoint();
  const fetch = registry.fetchWith(({ path }, honest) => (path === "/journal/checkpoint" ? text(served()) : honest()));
  const open = (policy) => createRegistryClient({ baseUrl: "https://registry.example", fetch, journal: { publicKeys: [registry.log.publicKey], policy } });
  const client = open(policy);
  const calls = [() => client.journal.checkpoint(), () => client.journal.entry(2), () => client.journal.proof(2), () => client.journal.checkReceipt(registry.log.receipt())];
  for (const call of calls) await assert.rejects(call(), (error) => error instanceof ProofError && error.code === "proof-quorum-lacking");
  served = () => registry.log.cosigned(makeKey("witness.example/w", 51, 4));
  await assert.rejects(client.journal.checkpoint(), { code: "proof-quorum-lacking" }, "a stranger under its name");
  served = () => registry.log.cosigned(witness).replace(/(witness.example\/w .{30}).(.*)/, (_, before, rest) => `${before}${rest.startsWith("A") ? "B" : "A"}${rest}`);
  await assert.rejects(client.journal.checkpoint(), { code: "proof-cosignature-wrong" });
  served = () => registry.log.cosigned(witness);
  for (const call of calls) assert.equal((await call()).ok, true);
  await assert.rejects(open(policy.replace(registry.log.publicKey, new Log({ byte: 9 }).publicKey)).journal.checkpoint(), { code: "proof-policy-other-log" });
  for (const wrong of ["", "quorum w\n", 7]) assert.throws(() => open(wrong), { code: "configuration", message: /policy/ });
  assert.equal((await client.evaluateAcceptanceRequest(request)).ok, true, "an answer does not wait for witnesses");
});
