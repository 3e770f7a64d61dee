// A client with a policy, a registry under load, and witnesses that are always a moment behind; then they are gone.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { checkWitnesses, createRegistryClient, ProofError } from "../../dist/index.js";
import { bytes } from "../kit.mjs";
import { runSvcRegistry, startRegistry, startWitness } from "./service.mjs";

const good = bytes("acceptance-request", "valid");

/** A registry whose log two witnesses must have seen, and what a reader has to know of it. */
async function startWitnessed(context) {
  const folder = mkdtempSync(join(tmpdir(), "svc-witnessed-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, "data");
  runSvcRegistry("journal", "init", "--data-dir", data, "--origin", "registry.example/seen");
  const publicKey = readFileSync(join(data, "journal.pub"), "utf8").trim();
  const witnesses = [await startWitness("witness.example/one", publicKey), await startWitness("witness.example/two", publicKey)];
  for (const witness of witnesses) context.after(witness.stop);
  const lines = witnesses.map(({ address, publicKey }, at) => `witness w${at} ${publicKey} ${address}\n`);
  const policy = `log ${publicKey}\n${lines.join("")}group both all w0 w1\nquorum both\n`;
  const file = join(folder, "policy");
  writeFileSync(file, policy);
  const registry = await startRegistry(data, "--witness-policy", file);
  context.after(registry.stop);
  const clientOf = (journal) => createRegistryClient({ baseUrl: registry.address, journal: { publicKeys: [publicKey], ...journal } });
  return { witnesses, publicKey, policy, clientOf };
}

/** Calls until what comes is wanted. */
async function until(wanted, call) {
  for (const end = Date.now() + 20_000; Date.now() < end; await wait(50)) {
    const got = await call();
    if (wanted(got)) return got;
  }
  return assert.fail("waited for 20 seconds");
}

const isLacking = (error) => error instanceof ProofError && error.code === "proof-quorum-lacking";

test("under load what the witnesses have seen is proven at every call, and what they have not is named", async (context) => {
  const { witnesses, publicKey, policy, clientOf } = await startWitnessed(context);
  const [reader, asker] = [clientOf({ policy }), clientOf({})];
  const answers = [await asker.evaluateAcceptanceRequest(good)];
  await until((state) => state !== undefined, () => reader.journal.checkpoint().catch((error) => assert.ok(isLacking(error), error)));

  let isOver = false;
  const load = (async () => {
    while (!isOver) answers.push(...(await Promise.all([1, 2, 3, 4].map(() => asker.evaluateAcceptanceRequest(good)))));
  })();
  const states = [];
  try {
    for (const end = Date.now() + 4000; Date.now() < end; ) {
      const { value } = await reader.journal.checkpoint();
      states.push(value);
      const last = value.size - 1;
      const { value: entry } = await reader.journal.entry(last);
      const { value: proof } = await reader.journal.proof(last);
      for (const { record, checkpoint } of [entry, proof]) assert.ok(record.sequence === last && checkpoint.size > last);
    }
  } finally {
    isOver = true;
    await load;
  }
  assert.ok(states.filter(({ size, logSize }) => size < logSize).length > states.length / 2, "the log was ahead most of the time");
  for (const [at, { size, logSize }] of states.entries()) assert.ok(at === 0 || (size >= states[at - 1].size && logSize >= states[at - 1].logSize));
  assert.ok(states.at(-1).size > states[0].size, "the witnesses came after");
  const checked = await checkWitnesses(states.at(-1).note, { policy, publicKey });
  assert.deepEqual(checked.cosigned.map(({ name }) => name), ["w0", "w1"]);
  context.diagnostic(`${states.length} rounds while the log grew to ${states.at(-1).logSize} records`);

  const { value: level } = await until(({ value }) => value.size === value.logSize, () => reader.journal.checkpoint());
  await witnesses[0].stop();
  const { value: late } = await asker.evaluateAcceptanceRequest(good);
  const { value: state } = await reader.journal.checkpoint();
  assert.deepEqual([state.size, state.logSize], [level.size, level.size + 1]);
  for (const call of [() => reader.journal.entry(level.size), () => reader.journal.proof(level.size), () => reader.journal.checkReceipt(JSON.stringify(late))]) {
    await assert.rejects(call(), (error) => isLacking(error) && error.message.includes(`seen ${level.size} of the log's ${level.size + 1} records`));
  }
  for (const { value } of [answers[0], answers.at(-1)]) {
    assert.equal((await reader.journal.checkReceipt(JSON.stringify(value))).value.record.requestId, value.requestId);
  }
  assert.equal((await clientOf({}).journal.entry(level.size)).value.record.requestId, late.requestId, "without a policy it is on record all the same");
});
