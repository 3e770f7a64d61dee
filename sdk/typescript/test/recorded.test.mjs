// The bytes of a log that `svc-registry serve` wrote: as tiles, as a stream and as deliveries, with every record changed in turn.
// `test/recorded-log` has the files as they were served, with `-` for `/` in their names.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { canonicalize, createJournalFollower, eventTypeOf } from "../dist/index.js";
import { checkpointEvent, collect, pieces, recordEvent, signed, typeOf, verify } from "./events.mjs";
import { expectation, names, repository, valueOf } from "./kit.mjs";

const recorded = (name) => readFileSync(join(repository, "sdk/typescript/test/recorded-log", name));
const publicKeys = [recorded("journal.pub").toString()];
const [three, seven] = [3, 7].map((size) => recorded(`checkpoint-${size}`).toString());
const filesOf = (checkpoint) => ({ checkpoint: async () => checkpoint, tile: async (path) => new Uint8Array(recorded(path.replaceAll("/", "-"))) });
const followerOf = (options = {}) => createJournalFollower({ publicKeys, ...options });

async function records() {
  const events = await collect(followerOf().tiles(filesOf(seven)));
  return events.filter(({ kind }) => kind === "record").map(({ record }) => record);
}

test("the log of a registry is followed by its tiles, to its first signed state and on", async () => {
  const follower = followerOf();
  const first = await collect(follower.tiles(filesOf(three)));
  assert.deepEqual([first.length, first.at(-1).to], [4, 3]);
  const again = followerOf({ state: JSON.stringify(follower.state) });
  const rest = await collect(again.tiles(filesOf(seven)));
  assert.deepEqual([rest.length, rest.at(-1).from, rest.at(-1).to], [5, 3, 7]);
  const types = [...first, ...rest].filter(({ kind }) => kind === "record").map(({ type }) => type);
  assert.deepEqual(types, ["registry.decision.denied", "registry.posture.violation", "registry.decision.denied", "registry.digest.mismatch", "registry.decision.denied", "registry.posture.violation", "registry.artifact.rejected"]);
});

test("the same bytes come by stream, and by deliveries", async () => {
  const all = await records();
  const text = checkpointEvent(three) + all.map((record) => recordEvent(record)).join("") + checkpointEvent(seven);
  assert.deepEqual((await collect(followerOf().stream(pieces(text)))).filter(({ kind }) => kind === "proven").map(({ to }) => to), [3, 7]);
  const follower = followerOf({ files: filesOf(seven) });
  for (const [from, to] of [[0, 2], [2, 7]]) {
    const rows = all.slice(from, to).map((record) => ({ index: record.sequence, record, type: typeOf(record) }));
    const body = canonicalize({ data: { checkpoint: seven, from, records: rows, to }, timestamp: "2026-11-15T06:00:00.000Z", type: "registry.journal.records" });
    const events = await follower.delivery(verify(signed(body, { id: `msg_2fKq_${from}-${to}` })));
    assert.deepEqual([events.length, events.at(-1).to], [to - from + 1, to]);
  }
});

test("no record of it can be another one", async () => {
  const all = await records();
  for (const at of all.keys()) {
    const changed = all.map((record, place) => (place === at ? { ...record, requestId: "0".repeat(32) } : record));
    const follower = followerOf();
    await assert.rejects(collect(follower.stream(pieces(changed.map((record) => recordEvent(record)).join("") + checkpointEvent(seven)))), { code: "follow-wrong-root" });
    assert.equal(follower.state, undefined);
  }
});

test("the records of the kit have the types that the table gives them", () => {
  const seen = new Set();
  for (const name of names("receipts")) {
    const { proven } = expectation("receipts", name);
    const document = valueOf("receipts", name);
    if (!proven) continue;
    const { record } = document.receipt ?? document;
    assert.equal(eventTypeOf(record), typeOf(record), name);
    seen.add(eventTypeOf(record));
  }
  assert.ok(seen.size >= 2, [...seen].join());
});
