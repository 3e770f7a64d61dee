// A log that is ahead of its witnesses: what they have seen counts, what they have not is named, and what they were shown must
// be the same log.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWitnesses, createRegistryClient, FailOpenError, LogError, ProofError } from "../dist/index.js";
import { reply } from "./answers.mjs";
import { Log, makeKey, rootOf } from "./log.mjs";
import { Registry, text } from "./registry.mjs";

const witness = makeKey("witness.example/w", 50, 4);
const policyOf = ({ log }) => `log ${log.publicKey}\nwitness w ${witness.publicKey}\nquorum w\n`;
const seenAt = (log, size) => log.cosigned(witness, undefined, log.checkpoint(size));

/** A client with a policy, and a registry of 8 records of which the witness has seen the first ones. */
function meet({ seen = 5, lie, policy = policyOf } = {}) {
  const registry = new Registry().grow(8);
  if (seen !== null) registry.witnessed = seenAt(registry.log, seen);
  const fetch = registry.fetchWith(lie === undefined ? undefined : ({ path }, honest) => lie(path.replace("/journal/", ""), honest, registry));
  const open = (journal) => createRegistryClient({ baseUrl: "https://registry.example", fetch, journal: { publicKeys: [registry.log.publicKey], ...journal } });
  return { registry, open, client: open({ policy: policy(registry) }) };
}

/** A log that shares the first records alone, and goes on in another way. */
function forkOf(registry, shared, size) {
  const other = registry.log.fork(shared);
  other.add({ ...registry.log.records[shared], requestId: "rewritten" });
  registry.grow(size - shared - 1, other);
  return other;
}

const isLogError = (code, evidence) => (error) => {
  assert.ok(error instanceof LogError, error);
  assert.equal(error.code, code);
  assert.deepEqual(error.evidence.map(({ note }) => note), evidence);
  return true;
};

const isLacking = (message) => (error) => error instanceof ProofError && error.code === "proof-quorum-lacking" && error.requestId !== "" && message.test(error.message);

test("witnesses that saw more than the log has are evidence that it shrank, and are not forgotten", async () => {
  const { client, registry } = meet();
  const whole = registry.log;
  registry.witnessed = seenAt(whole, 8);
  registry.log = whole.fork(6);
  const evidence = [registry.witnessed, registry.log.checkpoint()];
  await assert.rejects(client.journal.checkpoint(), isLogError("log-shrank", evidence));
  registry.witnessed = undefined;
  await assert.rejects(client.journal.checkpoint(), isLogError("log-shrank", evidence), "the state that was seen is still known");
  registry.log = whole;
  registry.witnessed = seenAt(whole, 6);
  assert.equal((await client.journal.checkpoint()).value.logSize, 8);
});

test("witnesses that saw another log are evidence of a fork, with both signed states", async () => {
  for (const [shared, size] of [[3, 5], [7, 8], [0, 1]]) {
    const { client, registry } = meet();
    registry.witnessed = seenAt(forkOf(registry, shared, size), size);
    const evidence = [registry.witnessed, registry.log.checkpoint()];
    for (const call of [() => client.journal.checkpoint(), () => client.journal.entry(0), () => client.journal.checkReceipt(registry.log.receipt(0))]) {
      await assert.rejects(call(), isLogError("log-forked", evidence), `${shared} shared, ${size} seen`);
    }
  }
  const { client, registry } = meet();
  await client.journal.checkpoint();
  const known = registry.log.checkpoint();
  registry.witnessed = seenAt(forkOf(registry, 3, 6), 6);
  await assert.rejects(client.journal.proof(1), isLogError("log-forked", [known, registry.witnessed]), "a fork from what was known before");
});

test("a log that does not prove that it grew from the witnessed state is thrown", async () => {
  const { client, registry } = meet({ lie: (path, honest) => (path.startsWith("tile/") ? new Response(new Uint8Array(31)) : honest()) });
  await assert.rejects(client.journal.checkpoint(), isLogError("log-unproven", [registry.witnessed, registry.log.checkpoint()]));
});

test("what is served as the witnessed state and is none is thrown", async () => {
  const rows = {
    "proof-malformed-checkpoint": () => "seen",
    "proof-unknown-key": () => seenAt(otherOrigin(), 0),
    "proof-other-tree": ({ log }) => underOtherOrigin(log),
    "proof-bad-signature": ({ log }) => seenAt(log, 5).replace("\n5\n", "\n4\n"),
    "proof-cosignature-wrong": ({ log }) => `${log.checkpoint(5)}${seenAt(log, 4).split("\n").at(-2)}\n`,
    contract: () => Uint8Array.of(0xff),
    "too-large": ({ log }) => seenAt(log, 5) + "x".repeat(65_536),
  };
  for (const [code, forged] of Object.entries(rows)) {
    const { client, registry } = meet();
    registry.witnessed = forged(registry);
    for (const call of [() => client.journal.checkpoint(), () => client.journal.entry(1), () => client.journal.proof(1), () => client.journal.checkReceipt(registry.log.receipt(1))]) {
      await assert.rejects(call(), { code }, code);
    }
  }
});

function otherOrigin() {
  return new Log({ name: "svc-journal-other" });
}

/** A state of another name, by the right key under its right name, with the line of the witness. */
function underOtherOrigin(log) {
  const head = `${otherOrigin().key.name}\n5\n${rootOf(log.leaves.slice(0, 5)).toString("base64")}\n`;
  const line = Buffer.concat([log.key.id, log.key.sign(head)]).toString("base64");
  return log.cosigned(witness, undefined, `${head}\n\u2014 ${log.key.name} ${line}\n`);
}

test("a good witnessed state does not make up for a newest state that is none", async () => {
  const { client } = meet({ lie: (path, honest) => (path === "checkpoint" ? text("newest") : honest()) });
  await assert.rejects(client.journal.checkpoint(), { code: "proof-malformed-checkpoint" });
  const { client: forging } = meet({ lie: (path, honest, { log }) => (path === "checkpoint" ? text(`${log.checkpoint()}${seenAt(log, 4).split("\n").at(-2)}\n`) : honest()) });
  await assert.rejects(forging.journal.checkpoint(), { code: "proof-cosignature-wrong" });
});

test("without a witnessed state the newest must have the quorum itself", async () => {
  const cosigned = (path, honest, { log }) => (path === "checkpoint" ? text(seenAt(log, 8)) : honest());
  const { client, registry } = meet({ seen: null, lie: cosigned });
  const { value } = await client.journal.checkpoint();
  assert.deepEqual([value.size, value.logSize, value.note], [8, 8, seenAt(registry.log, 8)]);
  const { client: lacking } = meet({ seen: null });
  await assert.rejects(lacking.journal.checkpoint(), isLacking(/8 records, and serves no state/));

  const absent = (answer) => meet({ lie: (path, honest, registry) => (path === "witnessed-checkpoint" ? answer(registry) : honest()) }).client;
  await assert.rejects(absent((registry) => reply({ ...registry.refusal("not-found", 404), accepted: true }, 404)).journal.checkpoint(), FailOpenError);
  await assert.rejects(absent(() => new Response("<p>none", { status: 404 })).journal.checkpoint(), { code: "unexpected-answer", fromIntermediary: true });
  const busy = await absent((registry) => registry.send(registry.refusal("journal-unavailable", 503))).journal.checkpoint();
  assert.equal(busy.problem.code, "journal-unavailable", "no other refusal is taken for a log without witnesses");
});

test("the quorum is that of the reader's policy, whatever the registry takes for one", async () => {
  const second = makeKey("witness.example/v", 51, 4);
  const both = (registry) => policyOf(registry).replace("quorum w", `witness v ${second.publicKey}\ngroup both all w v\nquorum both`);
  const { client, registry } = meet({ policy: both });
  await assert.rejects(client.journal.checkpoint(), isLacking(/serves no state/));
  registry.witnessed = registry.log.cosigned(second, undefined, registry.witnessed);
  assert.equal((await client.journal.checkpoint()).value.size, 5);
});

test("what the witnesses have seen is proven, and what they have not is named with how far they are", async () => {
  const { client, registry } = meet();
  const { value } = await client.journal.checkpoint();
  assert.deepEqual(registry.asked.slice(0, 2), ["/journal/witnessed-checkpoint", "/journal/checkpoint"]);
  assert.deepEqual(value, { origin: registry.log.key.name, size: 5, rootHash: registry.log.receipt(0, 5).rootHash, note: registry.witnessed, logSize: 8 });
  assert.ok(Object.isFrozen(value));
  for (const index of [0, 4]) {
    const { value: entry } = await client.journal.entry(index);
    const { value: proof } = await client.journal.proof(index);
    for (const proven of [entry, proof]) assert.deepEqual([proven.record, proven.checkpoint.note], [registry.log.records[index], registry.witnessed]);
    assert.equal((await client.journal.checkReceipt(registry.log.receipt(index))).value.record.sequence, index, "the record counts, not the state of its receipt");
  }
  assert.ok(registry.asked.includes("/journal/tile/0/000.p/5"), "the record of an entry is proven in the state that counts");
  for (const index of [5, 7]) {
    const named = isLacking(new RegExp(`seen 5 of the log's 8 records, and not yet record ${index}, counted from zero`));
    await assert.rejects(client.journal.entry(index), named);
    await assert.rejects(client.journal.proof(index), named);
    await assert.rejects(client.journal.checkReceipt(registry.log.receipt(index)), named);
  }
  assert.deepEqual(await client.journal.entry(8), { ok: true, value: undefined });
  assert.equal((await client.journal.proof(8)).problem.code, "not-found");
});

test("a record that is not the one which the witnesses saw is thrown, also below their state", async () => {
  const { client } = meet({ lie: (path, honest, { log }) => (path.startsWith("entries") ? reply({ entries: [{ record: { ...log.records[2], requestId: "rewritten" } }], size: 8 }) : honest()) });
  await assert.rejects(client.journal.entry(2), { code: "proof-bad-path" });
});

test("witnesses that are level cost one request more, and none for tiles", async () => {
  const { client, registry } = meet({ seen: 8 });
  const { value } = await client.journal.checkpoint();
  assert.deepEqual([value.size, value.logSize], [8, 8]);
  assert.deepEqual(registry.asked, ["/journal/witnessed-checkpoint", "/journal/checkpoint"]);
  const plain = meet({ seen: 5 });
  assert.equal((await plain.open({}).journal.checkpoint()).value.size, 8);
  assert.deepEqual(plain.registry.asked, ["/journal/checkpoint"], "nobody is asked for witnesses without a policy");
});

test("under load, with witnesses always behind, every call holds and the log never shrinks", async () => {
  const { client, registry } = meet({
    lie: (path, honest, { log, witnessed }) => {
      registry.grow(3);
      const seen = Number(witnessed.split("\n")[1]);
      const place = path.startsWith("proof/") ? Number(path.slice(6)) : undefined;
      return place !== undefined && place < seen ? text(log.textProof(place, log.records[place], witnessed)) : honest();
    },
  });
  let before = 0;
  for (let round = 0; round < 20; round += 1) {
    const { value } = await client.journal.checkpoint();
    assert.ok(value.logSize > before && value.size < value.logSize);
    before = value.logSize;
    assert.equal((await client.journal.entry(value.size - 1)).value.checkpoint.size, value.size);
    assert.equal((await client.journal.proof(value.size - 1)).value.record.sequence, value.size - 1, "proven by a state older than the newest known");
    if (round % 3 === 0) registry.witnessed = seenAt(registry.log, registry.log.leaves.length - 2);
  }
  const together = await Promise.all(Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? client.journal.checkpoint() : client.journal.proof(at))));
  assert.ok(together.every(({ ok }) => ok));
});

test("a state with the lines of 64 witnesses is read whole, and given as it came", async () => {
  const many = Array.from({ length: 64 }, (_, at) => makeKey(`witness.example/${at}`, 100 + at, 4));
  const policy = ({ log }) => `log ${log.publicKey}\n${many.map(({ publicKey }, at) => `witness w${at} ${publicKey}\n`).join("")}group most 60 ${many.map((_, at) => `w${at}`).join(" ")}\nquorum most\n`;
  const cosign = (log, size, by) => by.reduce((note, key) => log.cosigned(key, undefined, note), log.checkpoint(size));
  const { client, registry } = meet({
    policy,
    lie: (path, honest, { log, witnessed }) => (path === "proof/2" ? text(log.textProof(2, log.records[2], witnessed)) : honest()),
  });
  registry.witnessed = cosign(registry.log, 5, many);
  assert.ok(Buffer.byteLength(registry.witnessed) > 8000);
  const { value } = await client.journal.checkpoint();
  assert.equal(value.note, registry.witnessed);
  const checked = await checkWitnesses(value.note, { policy: policy(registry), publicKey: registry.log.publicKey });
  assert.deepEqual([checked.ok, checked.cosigned.length, checked.checkpoint.note], [true, 64, value.note]);
  assert.equal((await client.journal.proof(2)).value.checkpoint.note, registry.witnessed);
  registry.witnessed = cosign(registry.log, 5, many.slice(0, 59));
  await assert.rejects(client.journal.checkpoint(), isLacking(/serves no state/));
});
