// Followers of an honest log: by stream, by deliveries, by tiles, from every place on, and again after every kind of end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalize, createJournalFollower, RegistryClientError } from "../dist/index.js";
import { FollowedLog } from "../dist/events/followed-log.js";
import { readKeys } from "../dist/receipt/checkpoint.js";
import { leafHash, rootOf as rootOfSubtrees } from "../dist/receipt/merkle.js";
import { checkpointEvent, collect, deliveryOf, filesOf, followerOf, pieces, recordEvent, registryOf, signed, streamOf, verify } from "./events.mjs";
import { makeKey, rootOf } from "./log.mjs";

const { log } = registryOf(12);
const { log: long } = registryOf(600);
const recordsIn = (events) => events.filter(({ kind }) => kind === "record");
const rangesIn = (events) => events.filter(({ kind }) => kind === "proven").map(({ from, to }) => [from, to]);

test("a state that somebody changed is none to go on from", async () => {
  const follower = followerOf(log);
  await collect(follower.stream(pieces(streamOf(log, 0, 7))));
  const { state } = follower;
  const changes = [
    { version: 2 },
    { size: 6 },
    { size: 8 },
    { size: -1 },
    { rootHash: `sha256:${"0".repeat(64)}` },
    { frontier: state.frontier.slice(1) },
    { frontier: [...state.frontier].reverse() },
    { frontier: state.frontier.map(() => "AAAA") },
    { checkpoint: log.checkpoint(6) },
    { checkpoint: "x" },
    { origin: 5 },
    { note: "x" },
  ];
  for (const change of changes) assert.throws(() => followerOf(log, { state: { ...state, ...change } }), { code: "follow-state" }, JSON.stringify(change));
  for (const state of ["", "{", "[]", null, 5, {}]) assert.throws(() => followerOf(log, { state }), { code: "follow-state" });
  const stranger = makeKey(log.key.name, 9);
  const forged = { ...state, checkpoint: log.note(7, rootOf(log.leaves.slice(0, 7)), stranger) };
  await assert.rejects(followerOf(log, { state: forged }).checkpoint(log.checkpoint()), { code: "proof-unknown-key" });
  const renamed = followerOf(log, { state: { ...state, origin: "svc-journal-other" } });
  await assert.rejects(renamed.checkpoint(log.checkpoint()), { code: "follow-state" });
  // Rehashed to fit itself, it does not fit what was signed.
  const other = log.fork(6);
  other.add({ ...log.records[6], requestId: "other" });
  const alone = followerOf(other);
  await collect(alone.stream(pieces(streamOf(other))));
  await assert.rejects(followerOf(log, { state: { ...alone.state, checkpoint: log.checkpoint(7) } }).checkpoint(log.checkpoint()), { code: "follow-state" });
});

test("keys, policies and deliveries that are none are refused at once", () => {
  for (const publicKeys of [undefined, [], "x", ["x"]]) assert.throws(() => createJournalFollower({ publicKeys }), { code: "configuration" });
  assert.throws(() => followerOf(log, { policy: "quorum of friends" }), { code: "configuration" });
  const { data } = verify(deliveryOf(log, 0, 2));
  for (const handMade of [undefined, {}, { id: "msg", sentAt: 5, type: "registry.journal.records", timestamp: "", data }]) assert.throws(() => followerOf(log).delivery(handMade), TypeError);
});

test("a record is not proven until a signed state covers it", async () => {
  const follower = followerOf(log);
  const events = await collect(follower.stream(pieces(streamOf(log, 0, 5) + streamOf(log, 5))));
  assert.deepEqual(recordsIn(events).map(({ record }) => record), log.records);
  assert.ok(recordsIn(events).every(({ proven, index }, at) => proven === false && index === at));
  assert.deepEqual(rangesIn(events), [[0, 5], [5, 12]]);
  assert.deepEqual(events.map(({ kind }) => kind).indexOf("proven"), 5);
  assert.deepEqual(events.at(-1).state, follower.state);
  assert.ok(events.every((event) => Object.isFrozen(event)));
  const unsigned = followerOf(log);
  const without = await collect(unsigned.stream(pieces(log.records.map((record) => recordEvent(record)).join(""))));
  assert.deepEqual([without.length, rangesIn(without), unsigned.state, unsigned.nextIndex], [12, [], undefined, 12]);
});

test("a state that is ahead proves its records when they have come", async () => {
  const ahead = checkpointEvent(log.checkpoint(9)) + log.records.map((record) => recordEvent(record)).join("") + checkpointEvent(log.checkpoint());
  assert.deepEqual(rangesIn(await collect(followerOf(log).stream(pieces(ahead)))), [[0, 9], [9, 12]]);
  const behind = log.records.slice(0, 10).map((record) => recordEvent(record)).join("") + checkpointEvent(log.checkpoint(6)) + checkpointEvent(log.checkpoint(10));
  assert.deepEqual(rangesIn(await collect(followerOf(log).stream(pieces(behind)))), [[0, 6], [6, 10]], "and one that is behind, those before it");
});

test("a follower goes on from every state, kept as JSON", async () => {
  for (let size = 1; size <= 12; size += 1) {
    const first = followerOf(log);
    await collect(first.stream(pieces(streamOf(log, 0, size))));
    const kept = JSON.stringify(first.state);
    assert.ok(kept.length < 1000, `${kept.length}`);
    const second = followerOf(log, { state: kept });
    assert.equal(second.nextIndex, size);
    const events = await collect(second.stream(pieces(streamOf(log, size))));
    assert.deepEqual(recordsIn(events).map(({ index }) => index), log.records.slice(size).map(({ sequence }) => sequence));
    assert.deepEqual(second.state.size, 12);
  }
});

test("a stream that is cut anywhere is gone on with, and what comes again is handed out once", async () => {
  const text = streamOf(log);
  for (let cut = 0; cut < text.length; cut += 211) {
    const follower = followerOf(log);
    const first = await collect(follower.stream(pieces(text.slice(0, cut))));
    const again = await collect(follower.stream(pieces(text.slice(text.indexOf("id: 0")))));
    assert.deepEqual(recordsIn([...first, ...again]).map(({ index }) => index), log.records.map(({ sequence }) => sequence), `${cut}`);
    assert.equal(follower.state.size, 12);
  }
});

test("deliveries come in order, again, and beside each other", async () => {
  const follower = followerOf(log);
  const range = (from, to, size) => follower.delivery(verify(deliveryOf(log, from, to, { checkpoint: log.checkpoint(size) })));
  const all = await Promise.all([range(0, 3, 5), range(3, 5, 5), range(3, 5, 5), range(5, 8, 12), range(0, 3, 5)]);
  assert.deepEqual(all.map((events) => recordsIn(events).length), [3, 2, 0, 3, 0]);
  assert.deepEqual(all.map(rangesIn), [[], [[0, 5]], [], [], []]);
  assert.deepEqual(rangesIn(await range(8, 12, 12)), [[5, 12]]);
  const test = canonicalize({ data: { endpoint: "audit" }, timestamp: "2026-11-15T06:00:00.000Z", type: "registry.test" });
  assert.deepEqual(await follower.delivery(verify(signed(test, { id: "msg_test" }))), []);
});

test("with the log's files every delivery is proven at once, and a restart between two loses nothing", async () => {
  let state;
  const kept = [];
  for (const [from, to] of [[0, 3], [3, 5], [5, 11], [11, 12]]) {
    const follower = followerOf(log, { state, files: filesOf(log) });
    const events = await follower.delivery(verify(deliveryOf(log, from, to)));
    assert.deepEqual(rangesIn(events), [[from, to]]);
    kept.push(...recordsIn(events));
    state = JSON.stringify(follower.state);
    assert.equal(follower.state.checkpoint, log.checkpoint());
  }
  assert.deepEqual(kept.map(({ record }) => record), log.records);
  // A state that was changed is found out when the signed state in it is reached.
  const first = followerOf(log, { files: filesOf(log) });
  await first.delivery(verify(deliveryOf(log, 0, 3)));
  const fork = log.fork(2);
  fork.add({ ...log.records[2], requestId: "other" });
  const forged = followerOf(fork);
  await collect(forged.stream(pieces(streamOf(fork))));
  const { frontier, rootHash } = forged.state;
  const misled = followerOf(log, { state: { ...first.state, frontier, rootHash } });
  await assert.rejects(misled.delivery(verify(deliveryOf(log, 3, 12))), { code: "follow-wrong-root" });
});

test("a delivery that is refused for itself takes nothing back but itself", async () => {
  const follower = followerOf(log);
  await follower.delivery(verify(deliveryOf(log, 0, 3)));
  const stranger = makeKey(log.key.name, 9);
  for (const [code, sent] of [
    ["follow-gap", deliveryOf(log, 4, 8)],
    ["follow-filtered", deliveryOf(log, 3, 8, { filtered: true, records: [] })],
    ["proof-unknown-key", deliveryOf(log, 3, 12, { checkpoint: log.note(12, rootOf(log.leaves), stranger) })],
  ]) {
    await assert.rejects(follower.delivery(verify(sent)), { code });
    assert.equal(follower.nextIndex, 3, code);
  }
  assert.deepEqual(rangesIn(await follower.delivery(verify(deliveryOf(log, 3, 12)))), [[0, 12]]);
});

test("deliveries that contradict each other are all taken back, and true ones are taken again from what was proven", async () => {
  const forged = [6, 7].map((index) => ({ ...log.records[index], requestId: "forged" }));
  for (const [code, found] of [["follow-wrong-root", [8, 12]], ["follow-changed", [6, 8]]]) {
    const follower = followerOf(log);
    const take = (from, to, change) => follower.delivery(verify(deliveryOf(log, from, to, change)));
    await take(0, 5, { checkpoint: log.checkpoint(5) });
    const { state } = follower;
    await take(5, 6);
    assert.deepEqual(rangesIn(await take(6, 8, { records: forged })), [], "taken, and not proven");
    await assert.rejects(take(...found), { code });
    assert.deepEqual([follower.nextIndex, follower.state], [5, state], code);
    await assert.rejects(take(6, 8), { code: "follow-gap", index: 5 });
    assert.deepEqual(recordsIn(await take(5, 8)).map(({ record }) => record), log.records.slice(5, 8));
    assert.deepEqual(rangesIn(await take(8, 12)), [[5, 12]]);
  }
});

test("what one delivery proves before it fails is not lost to whoever follows", async () => {
  const follower = followerOf(log);
  const fork = log.fork(10);
  for (const record of log.records.slice(10)) fork.add({ ...record, requestId: "other" });
  await follower.delivery(verify(deliveryOf(log, 0, 3, { checkpoint: log.checkpoint(5) })));
  await follower.delivery(verify(deliveryOf(log, 3, 4, { checkpoint: log.checkpoint() })));
  await assert.rejects(follower.delivery(verify(deliveryOf(log, 4, 8, { checkpoint: fork.checkpoint() }))), { code: "log-forked" });
  assert.deepEqual([follower.nextIndex, follower.state], [0, undefined]);
  assert.deepEqual(rangesIn(await follower.delivery(verify(deliveryOf(log, 0, 12)))), [[0, 12]]);
});

test("tiles are read from every place on, over their edges", async () => {
  for (const from of [0, 255, 256, 257, 599]) {
    const first = followerOf(long);
    if (from > 0) await collect(first.tiles(filesOf(long, { size: from })));
    const follower = followerOf(long, { state: first.state });
    const events = await collect(follower.tiles(filesOf(long)));
    assert.deepEqual(recordsIn(events).map(({ index }) => index), Array.from({ length: 600 - from }, (_, at) => from + at));
    assert.deepEqual(rangesIn(events), [[from, 600]]);
    assert.deepEqual(await collect(follower.tiles(filesOf(long))), [], "nothing new");
  }
});

test("a tile that is missing is told as that, and a log that was pruned says where it begins", async () => {
  const none = async () => undefined;
  const empty = filesOf(long, { tile: none });
  await assert.rejects(collect(followerOf(long).tiles(empty)), { code: "tile-missing", message: /records from 0 on/ });
  const noHashes = filesOf(long, { tile: async (path) => (path.startsWith("tile/entries/") ? long.tile(path) : undefined) });
  assert.deepEqual(rangesIn(await collect(followerOf(long).tiles(noHashes))), [[0, 600]], "the records give the root by themselves");
  const follower = followerOf(long);
  await follower.delivery(verify(deliveryOf(long, 0, 300)));
  await assert.rejects(collect(follower.tiles(noHashes)), { code: "tile-missing", message: /hashes that lead from its 300 records to its 600/ });
  const pruned = filesOf(long, { tile: async (path) => (path === "tile/entries/000" ? undefined : long.tile(path)), minimumIndex: async () => `${long.key.name}/minimum-index\n256\n\nsigned\n` });
  await assert.rejects(collect(followerOf(long).tiles(pruned)), { code: "follow-pruned", message: /from 256 on.*from: "end"/, index: 0 });
  assert.equal((await followerOf(long).begin(pruned)).size, 600);
});

test("a follower that begins at the end proves everything after it", async () => {
  const follower = followerOf(long);
  const begun = await follower.begin(filesOf(long, { size: 300 }));
  assert.deepEqual([begun.size, follower.nextIndex], [300, 300]);
  assert.deepEqual(rangesIn(await collect(follower.stream(pieces(streamOf(long, 300))))), [[300, 600]]);
  await assert.rejects(follower.begin(filesOf(long)), { code: "follow-begun" });
  await assert.rejects(followerOf(long).begin(filesOf(long, { tile: async () => undefined })), { code: "tile-missing" });
  await assert.rejects(followerOf(long).begin(filesOf(long, { tile: async (path) => new Uint8Array(Buffer.from(long.tile(path)).fill(7)) })), { code: "follow-wrong-root" });
  assert.equal((await followerOf(long).begin(filesOf(long, { size: 0 }))).size, 0);
});

test("with a policy only what the quorum has seen is proven", async () => {
  const witness = makeKey("witness.example", 11, 4);
  const options = { policy: `witness w ${witness.publicKey}\nquorum w\n` };
  const follower = followerOf(log, options);
  assert.deepEqual(rangesIn(await collect(follower.stream(pieces(streamOf(log))))), [], "signed, and not seen");
  assert.deepEqual(rangesIn(await follower.checkpoint(log.cosigned(witness, undefined, log.checkpoint(8)))), [[0, 8]]);
  assert.deepEqual(rangesIn(await follower.checkpoint(log.cosigned(witness))), [[8, 12]]);
  const again = followerOf(log, { ...options, state: follower.state });
  assert.deepEqual(await collect(again.stream(pieces(checkpointEvent(log.checkpoint())))), []);
  const unseen = followerOf(log);
  await collect(unseen.stream(pieces(streamOf(log))));
  const files = { ...filesOf(log), witnessedCheckpoint: async () => log.cosigned(witness, undefined, log.checkpoint(9)) };
  assert.deepEqual(rangesIn(await collect(followerOf(log, options).tiles(files))), [[0, 9]]);
  assert.equal((await followerOf(log, options).begin(files)).size, 9);
  await assert.rejects(followerOf(log, options).begin(filesOf(log)), { code: "proof-quorum-lacking" });
  await assert.rejects(followerOf(log, { ...options, state: unseen.state }).checkpoint(log.checkpoint()), { code: "proof-quorum-lacking" }, "a state that no witness has seen is none to begin with");
});

test("a thousand mutations of a stream give what is on record, or a refusal", async () => {
  const honest = Buffer.from(streamOf(log));
  const known = new Set(log.records.map(canonicalize));
  let seed = 7;
  const next = (most) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % most;
  const ends = { refused: 0, proven: 0, unproven: 0 };
  for (let time = 0; time < 1000; time += 1) {
    const bytes = Buffer.from(honest);
    bytes[next(bytes.length)] = [10, 13, 58, 32, 0, 0xff, 0x61, 0x31][next(8)];
    const follower = followerOf(log);
    const came = [];
    try {
      for await (const event of follower.stream(pieces(bytes, 1 + next(4000)))) came.push(event);
      ends[follower.state === undefined ? "unproven" : "proven"] += 1;
    } catch (error) {
      assert.ok(error instanceof RegistryClientError, error.stack);
      ends.refused += 1;
    }
    const proven = recordsIn(came).filter(({ index }) => index < (follower.state?.size ?? 0));
    assert.ok(proven.every(({ record }) => known.has(canonicalize(record))));
    assert.ok(recordsIn(came).every(({ record, index }, at) => index === at && record.accepted === false && record.signed === false && record.installable === false));
  }
  assert.ok(ends.refused > 600 && ends.proven > 0, JSON.stringify(ends));
});

test("the hashes of old records are let go of, and the root still comes out", async () => {
  const followed = new FollowedLog(readKeys(log.publicKey), { mostLeaves: 1000 });
  const count = 1700;
  const leaves = Array.from({ length: count }, (_, at) => leafHash(new TextEncoder().encode(`record ${at}`)));
  leaves.forEach((leaf, at) => {
    assert.equal(followed.take(at, leaf), true);
    followed.forget();
  });
  assert.throws(() => followed.take(count - 1, leaves[0]), { code: "follow-changed" });
  assert.equal(followed.take(0, leaves[1]), false, "too long ago to compare, and not handed out");
  const root = (size) => Buffer.from(rootOfSubtrees(leaves.slice(0, size).map((hash) => ({ level: 0, hash }))));
  assert.equal(await followed.see(log.note(10, root(10)), "delivered"), undefined, "too long ago to prove anything");
  assert.equal((await followed.see(log.note(1300, root(1300)), "delivered")).to, 1300);
  assert.deepEqual([(await followed.see(log.note(count, root(count)), "served")).to, followed.state.size], [count, count]);
  await assert.rejects(followed.see(log.note(1500, root(1499)), "delivered"), { code: "follow-wrong-root" });
});
