// Deliveries, streams and tiles that lie, each in one way. Every row says what is thrown, and each code has a row; beside them
// the honest twins pass. A lie leaves nothing behind: what was proven before it is what a follower still has.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { canonicalize, EventError, FailOpenError, LogError, ProofError, RegistryClientError, verifyWebhook } from "../dist/index.js";
import { problem, reply } from "./answers.mjs";
import { checkpointEvent, collect, deliveryOf, filesOf, followerOf, NOW, pieces, rangeOf, recordEvent, registryOf, SECONDS, SECRET, signed, streamOf } from "./events.mjs";
import { repository } from "./kit.mjs";
import { entryOf, Log, makeKey, rootOf } from "./log.mjs";

/** Where each lie begins: four records were followed and proven, and four more are there. */
const KNOWN = 4;
const { log } = registryOf(8);
const [, , , , r4, r5, r6] = log.records;

/** The same log up to the known records, and then another one, signed by the same key. */
const fork = log.fork(KNOWN);
for (const record of log.records.slice(KNOWN)) fork.add({ ...record, requestId: "other" });
const rewritten = new Log();
for (const record of log.records) rewritten.add({ ...record, requestId: "rewritten" });

const stranger = makeKey(log.key.name, 9);
const witness = makeKey("witness.example", 11, 4);
const policy = `witness w ${witness.publicKey}\nquorum w\n`;
const other = new Log({ name: "svc-journal-other" });
for (const record of log.records) other.add(record);

const known = checkpointEvent(log.checkpoint(KNOWN));
const honest = [r4, r5, r6].map((record) => recordEvent(record)).join("");
const rest = log.records.slice(KNOWN).map((record) => recordEvent(record)).join("") + checkpointEvent(log.checkpoint());
const bodyOf = (change) => {
  const body = structuredClone(rangeOf(log, 4, 7));
  return canonicalize(change(body) ?? body);
};
const delivery = (body, id = "msg_2fKq_4-7") => signed(body, { id });
const withHeaders = (change) => {
  const { body, headers } = deliveryOf(log, 4, 7);
  return { body, headers: { ...headers, ...change } };
};
const recordChanged = (change) => ({ ...r4, ...change });
const asStream = (record, said) => recordEvent(record, said);
const denied = (code, status) => reply(problem((body) => Object.assign(body, { code, status, errors: [] })), status);

/** Lies by webhook: name, code, what comes. */
const DELIVERIES = [
  ["no signature at all", "webhook-header-missing", withHeaders({ "webhook-signature": undefined })],
  ["two ids", "webhook-header-repeated", withHeaders({ "Webhook-ID": "msg_other" })],
  ["an id with a full stop", "webhook-id-malformed", withHeaders({ "webhook-id": `msg.${SECONDS}` })],
  ["a time that is no number", "webhook-timestamp-malformed", withHeaders({ "webhook-timestamp": "0x1F" })],
  ["a replay of yesterday", "webhook-too-old", signed(bodyOf(() => {}), { id: "msg_2fKq_4-7", seconds: SECONDS - 86_400 })],
  ["a replay kept for tomorrow", "webhook-too-new", signed(bodyOf(() => {}), { id: "msg_2fKq_4-7", seconds: SECONDS + 86_400 })],
  ["a signature that is cut off", "webhook-signature-malformed", withHeaders({ "webhook-signature": "v1,AAAA" })],
  ["a signature of nobody", "webhook-signature-wrong", withHeaders({ "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}` })],
  ["a body without end", "webhook-too-large", { ...withHeaders({}), body: new Uint8Array(16 * 1024 * 1024 + 1) }],
  ["a member twice", "delivery-not-json", delivery(bodyOf(() => {}).replace('"to":7', '"to":7,"to":7'))],
  ["another spelling", "delivery-not-canonical", delivery(`${bodyOf(() => {})}\n`)],
  ["a type of its own", "delivery-unknown-type", delivery(bodyOf((body) => ({ ...body, type: "registry.package.approved" })))],
  ["a member more", "delivery-malformed", delivery(bodyOf((body) => ({ ...body, note: "x" })))],
  ["a range that holds nothing", "delivery-range", delivery(bodyOf((body) => void Object.assign(body.data, { records: [], to: 4 })), "msg_2fKq_4-4")],
  ["the id of another range", "delivery-other-id", delivery(bodyOf(() => {}), "msg_2fKq_4-8")],
  ["a record from before the range", "delivery-outside", delivery(bodyOf((body) => void Object.assign(body.data, { from: 5, to: 8 })), "msg_2fKq_5-8")],
  ["records in another order", "delivery-order", delivery(bodyOf((body) => void body.data.records.reverse()))],
  ["a record left out", "delivery-gap", delivery(bodyOf((body) => void body.data.records.splice(1, 1)))],
  ["a record twice", "delivery-too-many", delivery(bodyOf((body) => void body.data.records.push(body.data.records[2])))],
  ["a state from before the range", "delivery-checkpoint", delivery(bodyOf((body) => void (body.data.checkpoint = log.checkpoint(6))))],
  ["a yes", "fail-open", delivery(bodyOf((body) => void (body.data.records[1].record.accepted = true)))],
  ["a denial called a mismatch", "record-other-type", delivery(bodyOf((body) => void (body.data.records[1].type = "registry.digest.mismatch")))],
  ["a record of another place", "record-other-place", delivery(bodyOf((body) => void (body.data.records[1].record.sequence = 6)))],
  ["no record", "record-malformed", delivery(bodyOf((body) => void (body.data.records[1].record.note = "x")))],
  ["a no without its reason", "record-not-a-no", delivery(bodyOf((body) => void delete body.data.records[0].record.problem))],
  // From here on the sender has the secret and the form is right: only a follower tells.
  ["records left out by a filter", "follow-filtered", deliveryOf(log, 4, 7, { filtered: true, records: [r5] })],
  ["a range further on", "follow-gap", deliveryOf(log, 5, 8)],
  ["a record that nobody signed", "follow-wrong-root", deliveryOf(fork, 4, 8, { checkpoint: log.checkpoint(8) })],
  ["a state signed by a stranger", "proof-unknown-key", deliveryOf(log, 4, 7, { checkpoint: log.note(8, rootOf(log.leaves), stranger) })],
  ["a signature of another state", "proof-bad-signature", deliveryOf(log, 4, 7, { checkpoint: log.checkpoint(8).replace(/\n8\n/, "\n7\n") })],
  ["a state with a line too many", "delivery-checkpoint", deliveryOf(log, 4, 7, { checkpoint: log.checkpoint(8).replace("\n\n", "\nextension\n\n") })],
];

/** Lies by stream: name, code, what comes behind the four known records. */
const STREAMS = [
  ["a byte order mark", "stream-byte-order-mark", `\ufeff${known}${honest}`],
  ["bytes that are no text", "stream-not-utf8", Buffer.concat([Buffer.from(known), Buffer.from("data: "), Buffer.of(0xff, 10, 10)])],
  ["a line without end", "stream-line-too-long", `${known}: ${"x".repeat(70_000)}`],
  ["an event without end", "stream-event-too-large", `${known}event: checkpoint\n${`data: ${"x".repeat(1000)}\n`.repeat(200)}`],
  ["a field of its own", "stream-unknown-field", `${known}trust: yes\n\n`],
  ["two ids of one event", "stream-repeated-field", `${known}id: 4\n${recordEvent(r4)}`],
  ["an event without data", "stream-no-data", `${known}id: 4\nevent: registry.decision.denied\n\n`],
  ["a type of its own", "stream-unknown-event", known + asStream(r4, { event: "registry.package.approved" })],
  ["a record without an id", "stream-id-missing", known + recordEvent(r4).replace("id: 4\n", "")],
  ["an id in another spelling", "stream-id-malformed", known + asStream(r4, { id: "04" })],
  ["a checkpoint that moves the place to come back to", "stream-checkpoint-with-id", `${known}id: 7\n${checkpointEvent(log.checkpoint(8))}`],
  ["a yes", "fail-open", known + asStream(recordChanged({ signed: true }))],
  ["gates left out", "fail-open", known + asStream(recordChanged({ missingGates: r4.missingGates.slice(2) }))],
  ["the gates of a denial in a refusal", "record-not-a-no", known + asStream(recordChanged({ missingGates: r4.missingGates.slice(1) }))],
  ["no record", "record-malformed", known + asStream(recordChanged({ note: "x" }))],
  ["a no without its reason", "record-not-a-no", known + asStream((({ problem: _, ...rest }) => rest)(r4), { event: "registry.digest.mismatch" })],
  ["another spelling", "record-not-canonical", known + asStream(r4, { data: `${canonicalize(r4)} ` })],
  ["a record in two lines", "record-not-canonical", known + asStream(r4, { data: canonicalize(r4).replace(',"', '\ndata: ,"') })],
  ["a record of another place", "record-other-place", known + asStream(r5, { id: 4 })],
  ["a denial called a mismatch", "record-other-type", known + asStream(r4) + asStream(r5, { event: "registry.digest.mismatch" })],
  ["a record that is too large", "record-too-large", known + asStream(r4, { data: "x".repeat(65_536) })],
  ["a record left out", "follow-gap", known + asStream(r4) + asStream(r6)],
  ["records in another order", "follow-gap", known + asStream(r5) + asStream(r4)],
  ["a record that comes again as another", "follow-changed", known + asStream(r4) + asStream({ ...r4, requestId: "other" })],
  ["a record that nobody signed", "follow-wrong-root", known + asStream({ ...r4, requestId: "other" }) + checkpointEvent(log.checkpoint(5))],
  ["a state of records that are not sent", "follow-wrong-root", known + honest + checkpointEvent(fork.checkpoint(7))],
  ["a shorter log", "log-shrank", checkpointEvent(log.checkpoint(3)) + honest],
  ["another log of the same length", "log-forked", checkpointEvent(rewritten.checkpoint(KNOWN))],
  ["two states of one length", "log-forked", known + checkpointEvent(log.checkpoint(8)) + checkpointEvent(fork.checkpoint(8))],
  ["a state signed by a stranger", "proof-unknown-key", checkpointEvent(log.note(KNOWN, rootOf(log.leaves.slice(0, KNOWN)), stranger))],
  ["a signature that does not hold", "proof-bad-signature", checkpointEvent(log.checkpoint(KNOWN).replace(/\n4\n/, "\n5\n"))],
  ["a log of another name", "proof-unknown-key", checkpointEvent(other.checkpoint(KNOWN))],
  ["another log under our key", "proof-other-tree", checkpointEvent(renamed(log.checkpoint(KNOWN)))],
  ["a state that is no state", "proof-malformed-checkpoint", "event: checkpoint\ndata: all is well\n\n"],
  ["a witness that did not sign", "proof-cosignature-wrong", checkpointEvent(log.cosigned({ ...witness, sign: stranger.sign }, 5, log.checkpoint(KNOWN))), { policy }],
  ["a policy of another log", "proof-policy-other-log", known, { policy: `log ${other.publicKey}\nquorum none\n` }],
];

/** Answers instead of a stream: name, code, what comes. */
const ANSWERS = [
  ["a log that was put back", "follow-ahead-of-log", () => denied("ahead-of-log", 409)],
  ["a log that was pruned", "follow-pruned", () => denied("pruned", 410)],
  ["a token that is none", "follow-refused", () => denied("unauthenticated", 401)],
  ["a yes", "fail-open", () => reply({ accepted: true }, 409)],
  ["a closed problem of another contract", "contract", () => reply({ accepted: false, code: "pruned", installable: false, signed: false }, 410)],
  ["something else than a stream", "unexpected-answer", () => reply("{}", 200)],
  ["another address", "redirect", () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/" } })],
];

const entries = (change) => ({ tile: async (path) => (path.startsWith("tile/entries/") ? change(log.tile(path), path) : log.tile(path)) });

/** Lies by tiles: name, code, the files. */
const TILES = [
  ["records that were pruned", "follow-pruned", filesOf(log, { ...entries(() => undefined), minimumIndex: async () => `${log.key.name}/minimum-index\n256\n\n` })],
  ["a beginning that is none", "tile-missing", filesOf(log, { ...entries(() => undefined), minimumIndex: async () => "\u001b[2J\n-1\n" })],
  ["records that are not there", "tile-missing", filesOf(log, entries(() => undefined))],
  ["a tile that is cut off", "tile-malformed", filesOf(log, entries((bytes) => bytes.slice(0, -1)))],
  ["a tile with a record too many", "tile-malformed", filesOf(log, entries((bytes) => Buffer.concat([bytes, entryOf(r4)])))],
  ["a record that nobody signed", "follow-wrong-root", filesOf(log, entries(() => Buffer.concat([...log.records.slice(0, 7), { ...log.records[7], requestId: "other" }].map(entryOf))))],
  ["records in another order", "record-other-place", filesOf(log, entries(() => Buffer.concat([...log.records.slice(0, 6), log.records[7], r6].map(entryOf))))],
  ["a yes", "fail-open", filesOf(log, entries(() => Buffer.concat([...log.records.slice(0, 7), { ...log.records[7], accepted: true }].map(entryOf))))],
  ["a log with another beginning", "log-forked", filesOf(rewritten)],
  ["hashes that lead nowhere", "log-unproven", filesOf(log, { tile: async (path) => (path.startsWith("tile/entries/") ? log.tile(path) : undefined) })],
  ["hashes of another log", "log-unproven", filesOf(log, { tile: async (path) => (path.startsWith("tile/entries/") ? log : rewritten).tile(path) })],
  ["a shorter log", "log-shrank", filesOf(log, { size: 3 })],
  ["a state signed by a stranger", "proof-unknown-key", filesOf(log, { checkpoint: async () => log.note(8, rootOf(log.leaves), stranger) })],
];

/** A note with another name in its text, under the name and the key of the log. */
function renamed(note) {
  const text = note.slice(0, note.indexOf("\n\n") + 1).replace(log.key.name, "svc-journal-other");
  return `${text}\n\u2014 ${log.key.name} ${Buffer.concat([log.key.id, log.key.sign(text)]).toString("base64")}\n`;
}

/** Lies under the log's own signature: whoever saw one does not believe the honest state beside it either. */
const SIGNED_LIES = ["log-forked", "log-unproven", "follow-wrong-root"];

/** A follower that has the known records, proven. */
async function begun(options = {}) {
  const first = followerOf(log);
  await collect(first.stream(pieces(streamOf(log, 0, KNOWN))));
  assert.equal(first.state.size, KNOWN);
  return { follower: followerOf(log, { ...options, ...(options.policy === undefined ? { state: first.state } : {}) }), state: first.state };
}

/** What is thrown, checked for what every refusal has. */
async function thrownBy(work, name) {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof RegistryClientError, `${name}: ${error.stack}`);
    assert.ok([EventError, FailOpenError, LogError, ProofError].some((kind) => error instanceof kind) || ["contract", "unexpected-answer", "redirect"].includes(error.code), name);
    if (error instanceof LogError) assert.equal(error.evidence.length, 2, name);
    assert.ok(!/requestId|whsec_|script/.test(error.message), `${name}: ${error.message}`);
    return error;
  }
  return undefined;
}

for (const [kind, rows, follow] of [
  ["delivery", DELIVERIES, async (follower, sent) => follower.delivery(verifyWebhook({ ...sent, secrets: [SECRET], now: NOW }))],
  ["stream", STREAMS, (follower, sent) => collect(follower.stream(pieces(sent)))],
  ["answer", ANSWERS, (follower, sent) => collect(follower.stream(sent()))],
  ["tile", TILES, (follower, sent) => collect(follower.tiles(sent))],
]) {
  test(`every ${kind} that lies is refused as what it is, and leaves nothing behind`, async () => {
    const wrong = [];
    for (const [name, code, sent, options] of rows) {
      const { follower, state } = await begun(options);
      const thrown = await thrownBy(() => follow(follower, sent), name);
      if (thrown?.code !== code) wrong.push(`${name}: ${thrown?.code}, not ${code}`);
      if (options?.policy === undefined) {
        assert.deepEqual(follower.state, state, name);
        assert.equal(follower.nextIndex, KNOWN, name);
        // Its honest twin passes, with the same follower where the lie was not signed by the log itself.
        const twin = SIGNED_LIES.includes(code) ? (await begun()).follower : follower;
        const events = await collect(twin.stream(pieces(rest)));
        assert.deepEqual([events.length, twin.state.size], [5, 8], name);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

test("the table has a row for every code, and each of its codes stays", () => {
  const codes = new Set([DELIVERIES, STREAMS, ANSWERS, TILES].flatMap((rows) => rows.map(([, code]) => code)));
  const source = readFileSync(join(repository, "sdk/typescript/src/events/event-code.ts"), "utf8");
  const types = [...source.matchAll(/^export type \w+Code =([^;]*);/gms)].map(([, words]) => words);
  const declared = types.flatMap((words) => [...words.matchAll(/"([a-z0-9-]+)"/g)].map(([, code]) => code));
  // What is said of misuse by the caller is tested in test/follower.test.mjs.
  const misuse = ["follow-state", "follow-begun"];
  assert.deepEqual(declared.filter((code) => !codes.has(code) && !misuse.includes(code)), []);
  assert.ok(codes.size >= 50, `${codes.size} codes`);
  const lies = [DELIVERIES, STREAMS, ANSWERS, TILES].reduce((count, rows) => count + rows.length, 0);
  assert.ok(lies >= 80, `${lies} lies`);
});
