// From key to key: the cases of the kit, and a client and a follower that know the first key alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReceipt, checkWitnesses, createRegistryClient, ProofError } from "../dist/index.js";
import { readKeys } from "../dist/receipt/checkpoint.js";
import { followHandOvers } from "../dist/receipt/hand-over.js";
import { collect, filesOf, followerOf } from "./events.mjs";
import { json, made } from "./kit.mjs";
import { makeKey } from "./log.mjs";
import { Registry, text } from "./registry.mjs";

const keyed = (keys) => readKeys(keys.join("\n"));

/** The note with which a key names the next. */
function note(from, to) {
  const body = `${from.name}/next-key\n${to.publicKey}\n`;
  return `${body}\n\u2014 ${from.name} ${Buffer.concat([from.id, from.sign(body)]).toString("base64")}\n`;
}

/** A registry that changes its key, and serves the notes from key to key. */
function changing(notes) {
  const registry = new Registry().grow(3);
  const { key: first } = registry.log;
  const asked = [];
  const fetch = registry.fetchWith(({ path }, honest) => {
    if (path !== "/journal/hand-overs") return honest();
    asked.push(path);
    return notes.length === 0 ? honest() : text(notes.join(""));
  });
  const client = createRegistryClient({ baseUrl: "https://registry.example", fetch, journal: { publicKeys: [registry.log.publicKey] } });
  const change = (byte) => {
    registry.log = registry.log.fork();
    registry.log.key = makeKey(first.name, byte);
    registry.log.publicKey = registry.log.key.publicKey;
    return registry.log.key;
  };
  return { registry, client, first, change, asked };
}

test("every row of the kit leads to its keys, or is refused with its reason", async () => {
  const rows = json("vectors", "hand-overs.json");
  assert.equal(rows.length, 18);
  for (const { name, publicKeys, notes, leadsTo, reason } of rows) {
    const led = await followHandOvers(keyed(publicKeys), made(notes));
    assert.deepEqual(led, reason ?? keyed(leadsTo), name);
  }
});

test("a client follows a log through changes of its key, and asks for the notes once each time", async () => {
  const notes = [];
  const { registry, client, first, change, asked } = changing(notes);
  assert.equal((await client.journal.checkpoint()).value.size, 3);
  assert.equal(asked.length, 0, "a known key signs");
  const second = change(8);
  await assert.rejects(client.journal.checkpoint(), { code: "proof-unknown-key" }, "nobody announced it");
  notes.push(note(first, second));
  assert.equal((await client.journal.checkpoint()).value.size, 3);
  const third = change(9);
  notes.push(note(second, third));
  registry.grow(2);
  assert.equal((await client.journal.proof(4)).value.checkpoint.size, 5);
  assert.deepEqual((await client.journal.entry(0)).value.record, registry.log.records[0]);
  assert.equal(asked.length, 3);
  const { ok } = await client.journal.checkReceipt(registry.log.receipt(1));
  assert.ok(ok);
});

test("while both keys sign, whoever knows either needs no notes", async () => {
  const { registry, client, first, asked } = changing([]);
  const next = makeKey(first.name, 8);
  const { note: signed } = Object.getPrototypeOf(registry.log);
  registry.log.note = (size, root) => {
    const [body] = signed.call(registry.log, size, root).split("\n\n");
    const lines = [first, next].map((key) => `\u2014 ${key.name} ${Buffer.concat([key.id, key.sign(`${body}\n`)]).toString("base64")}\n`);
    return `${body}\n\n${lines.join("")}`;
  };
  assert.equal((await client.journal.checkpoint()).value.size, 3);
  assert.equal(asked.length, 0);
  const receipt = registry.log.receipt(1);
  for (const publicKey of [first.publicKey, next.publicKey]) assert.ok((await checkReceipt(receipt, { publicKey })).ok);
});

test("a key that nobody announced, and one that was announced twice, are thrown", async () => {
  const notes = [];
  const { client, first, change } = changing(notes);
  const second = change(8);
  for (const wrong of [note(makeKey(first.name, 5), second), note(makeKey("svc-journal-other", 7), makeKey("svc-journal-other", 8)), "next\n", `${note(first, second).trimEnd()}`]) {
    notes.splice(0, notes.length, wrong);
    await assert.rejects(client.journal.checkpoint(), (error) => error instanceof ProofError && error.code === "proof-unknown-key", wrong);
  }
  notes.splice(0, notes.length, note(first, second), note(first, makeKey(first.name, 9)));
  await assert.rejects(client.journal.checkpoint(), { code: "proof-forked-keys" });
});

test("notes that cannot be had now are no other key", async () => {
  const registry = new Registry().grow(3);
  const { publicKey } = registry.log;
  registry.log = Object.assign(registry.log.fork(), { key: makeKey(registry.log.key.name, 8) });
  const fetch = registry.fetchWith(({ path }, honest) => (path === "/journal/hand-overs" ? registry.send(registry.refusal("overloaded", 503)) : honest()));
  const client = createRegistryClient({ baseUrl: "https://registry.example", fetch, retries: 0, journal: { publicKeys: [publicKey] } });
  await assert.rejects(client.journal.checkpoint(), { code: "unreachable" });
});

test("a follower goes on from a state that an older key signed", async () => {
  const { registry, first, change } = changing([]);
  const before = followerOf(registry.log);
  await collect(before.tiles(filesOf(registry.log)));
  const { state } = before;
  const second = change(8);
  registry.grow(2);
  const handOvers = async () => note(first, second);
  const pinned = { publicKeys: [first.publicKey], state };
  const files = { ...filesOf(registry.log), handOvers };
  const ranges = await collect(followerOf(registry.log, { ...pinned, files }).tiles(files));
  assert.deepEqual(ranges.filter(({ kind }) => kind === "proven").map(({ from, to }) => [from, to]), [[3, 5]]);
  await assert.rejects(collect(followerOf(registry.log, pinned).tiles(filesOf(registry.log))), { code: "proof-unknown-key" });
});

test("receipts and cosigned states are checked with notes that a file has", async () => {
  const { registry, first, change } = changing([]);
  const second = change(8);
  const witness = makeKey("witness.example", 20, 4);
  const [receipt, handOvers] = [registry.log.receipt(1), note(first, second)];
  assert.equal((await checkReceipt(receipt, { publicKey: first.publicKey })).fault, "unknown-key");
  assert.ok((await checkReceipt(receipt, { publicKey: first.publicKey, handOvers })).ok);
  await assert.rejects(checkReceipt(receipt, { publicKey: first.publicKey, handOvers: "next\n" }), TypeError);
  const policy = `log ${first.publicKey}\nwitness w ${witness.publicKey}\nquorum w\n`;
  const checkpoint = registry.log.cosigned(witness);
  assert.equal((await checkWitnesses(checkpoint, { policy, publicKey: first.publicKey })).fault, "checkpoint-refused");
  assert.ok((await checkWitnesses(checkpoint, { policy, publicKey: first.publicKey, handOvers })).ok);
});
