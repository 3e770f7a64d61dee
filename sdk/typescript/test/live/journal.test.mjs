// A client that insists on the journal, talking to running registries: one that is honest, and one that went back.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createRegistryClient, LogError } from "../../dist/index.js";
import { bytes } from "../kit.mjs";
import { makeKey } from "../log.mjs";
import { startRegistry } from "./service.mjs";

const good = bytes("acceptance-request", "valid");
const bad = bytes("acceptance-request", "accepted-true");

const keyOf = ({ data }) => readFileSync(join(data, "journal.pub"), "utf8");
const clientOf = (registry, options = {}) => createRegistryClient({ baseUrl: registry.address, journal: { publicKeys: [keyOf(registry)] }, ...options });

test("every answer of a registry is proven, beside other clients and with many requests at once", async (context) => {
  const registry = await startRegistry();
  context.after(registry.stop);
  let tiles = 0;
  const onRequest = ({ address }) => (tiles += address.includes("/tile/") ? 1 : 0);
  const [one, two] = [clientOf(registry, { onRequest }), clientOf(registry)];
  const answers = [];
  for (let time = 0; time < 5; time += 1) answers.push(await one.evaluateAcceptanceRequest(time % 2 === 0 ? good : bad));
  assert.equal(tiles, 0, "alone, the receipts prove that the log grew");
  for (let time = 0; time < 150; time += 1) await two.evaluateAcceptanceRequest(bad);
  await Promise.all(Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : two).evaluateAcceptanceRequest(good)));
  for (let time = 0; time < 100; time += 1) await two.evaluateAcceptanceRequest(bad);
  answers.push(await one.evaluateAcceptanceRequest(good));
  assert.ok(tiles > 0, "beside others, tiles do");

  const { value: newest } = await one.journal.checkpoint();
  assert.equal(newest.size, 5 + 150 + 40 + 100 + 1);
  for (const answer of answers) {
    const body = answer.ok ? answer.value : answer.problem;
    const kept = await one.journal.checkReceipt(JSON.stringify(body));
    assert.equal(kept.value.record.requestId, body.requestId);
    const { value } = await one.journal.entry(kept.value.record.sequence);
    assert.deepEqual(value.record, kept.value.record);
  }
  assert.equal((await one.journal.entry(newest.size)).value, undefined);
  assert.deepEqual((await one.journal.keys()).value, [keyOf(registry).trim()]);
});

test("another key than the registry's proves nothing", async (context) => {
  const registry = await startRegistry();
  context.after(registry.stop);
  const [name] = keyOf(registry).split("+");
  const client = clientOf(registry, { journal: { publicKeys: [makeKey(name, 9).publicKey] } });
  for (const document of [good, bad]) await assert.rejects(client.evaluateAcceptanceRequest(document), { code: "proof-unknown-key" });
  await assert.rejects(client.journal.checkpoint(), { code: "proof-unknown-key" });
});

test("a registry that was put back to an old copy is found out, with both signed states", async (context) => {
  const registry = await startRegistry();
  context.after(registry.stop);
  let address = registry.address;
  const fetch = (asked, init) => globalThis.fetch(asked.replace(registry.address, address), init);
  const client = clientOf(registry, { fetch });
  for (let time = 0; time < 3; time += 1) await client.evaluateAcceptanceRequest(good);
  const journalKey = keyOf(registry);
  await registry.halt();

  const [kept, rewound] = [await startRegistry(registry.data), await startRegistry(registry.data)];
  context.after(kept.stop);
  context.after(rewound.stop);
  assert.equal(keyOf(rewound), journalKey);
  address = kept.address;
  for (let time = 0; time < 4; time += 1) await client.evaluateAcceptanceRequest(good);
  address = rewound.address;
  const isEvidence = (code) => (error) => error instanceof LogError && error.code === code && error.requestId !== undefined && error.evidence.every(({ note }) => note.includes("\u2014"));
  await assert.rejects(client.evaluateAcceptanceRequest(good), isEvidence("log-shrank"));
  const other = clientOf(rewound);
  for (let time = 0; time < 9; time += 1) await other.evaluateAcceptanceRequest(bad);
  await assert.rejects(client.evaluateAcceptanceRequest(good), isEvidence("log-forked"));
  address = kept.address;
  assert.equal((await client.evaluateAcceptanceRequest(good)).ok, true, "the log that was seen first is still believed");
});
