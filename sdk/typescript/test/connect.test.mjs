// A follower that connects by itself: what it asks for, how it comes back, and what ends it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogFiles } from "../dist/index.js";
import { problem, reply } from "./answers.mjs";
import { checkpointEvent, filesOf, followerOf, recordEvent, registryOf, streamOf } from "./events.mjs";
import { makeKey } from "./log.mjs";

const { log } = registryOf(20);
const witness = makeKey("witness.example", 11, 4);

/** A registry whose log is as long as `size` says, and whose streams are what `streams` gives one after the other. */
function serve(streams, { size = 20, witnessed } = {}) {
  const asked = [];
  const fetch = async (address, init) => {
    const { pathname, search } = new URL(address);
    const path = pathname.replace("/api/sdk/registry/journal/", "");
    asked.push({ path: path + search, id: init.headers["last-event-id"], init });
    if (path === "stream") return streams.shift()(init);
    if (path === "checkpoint") return new Response(log.checkpoint(typeof size === "function" ? size() : size));
    const note = path === "witnessed-checkpoint" ? witnessed?.() : undefined;
    if (note !== undefined) return new Response(note);
    const tile = path.startsWith("tile/") ? log.tile(path) : undefined;
    return tile === undefined ? refuse("not-found", 404) : new Response(tile);
  };
  return { asked, fetch, streamed: () => asked.filter(({ path }) => path.startsWith("stream")) };
}

const refuse = (code, status, headers = {}) => reply(problem((body) => Object.assign(body, { code, status, errors: [] })), status, headers);
const streaming = (text) => () => new Response(text, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
const from = (first, last) => checkpointEvent(log.checkpoint(last)) + log.records.slice(first, last).map((record) => recordEvent(record)).join("");

/** A stream that says something and then nothing. */
const silent = (text) => (init) =>
  new Response(new ReadableStream({ start: (controller) => (init.signal.throwIfAborted(), controller.enqueue(new Uint8Array(Buffer.from(text)))) }), { headers: { "content-type": "text/event-stream" } });

/** Follows until a place is proven. */
async function until(events, size) {
  const indices = [];
  for await (const event of events) {
    if (event.kind === "record") indices.push(event.index);
    else if (event.to >= size) break;
  }
  return indices;
}

const upTo = (first, last) => Array.from({ length: last - first }, (_, at) => first + at);
const connect = (follower, { fetch }, options = {}) => follower.connect({ baseUrl: "https://registry.example", fetch, ...options });

test("whatever does not hold ends it, and is not tried again", async () => {
  for (const [code, answer] of [
    ["follow-ahead-of-log", () => refuse("ahead-of-log", 409)],
    ["follow-pruned", () => refuse("pruned", 410)],
    ["follow-refused", () => refuse("unauthenticated", 401)],
    ["fail-open", () => reply({ accepted: true }, 503)],
    ["redirect", () => new Response(null, { status: 307, headers: { location: "https://elsewhere.example/" } })],
    ["unexpected-answer", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
    ["follow-gap", streaming(from(11, 20))],
    ["stream-unknown-field", streaming("trust: me\n\n")],
  ]) {
    const registry = serve([streaming(from(8, 10)), answer], { size: 8 });
    const follower = followerOf(log);
    await assert.rejects(until(connect(follower, registry), 20), { code });
    assert.equal(registry.streamed().length, 2, code);
    assert.equal(follower.state.size, 10, `${code}: what was proven stays`);
    if (code === "follow-pruned") await assert.rejects(until(connect(follower, serve([answer])), 20), ({ problem: told }) => told.status === 410 && told.accepted === false);
  }
  for (const baseUrl of ["http://registry.example", "ftp://x", "https://user@registry.example"]) {
    await assert.rejects(until(followerOf(log).connect({ baseUrl }), 1), { code: "configuration" });
  }
});

test("it begins with tiles, asks for every record, and comes back behind the last one that came", async () => {
  const registry = serve([streaming(from(8, 12)), streaming(from(12, 12)), () => refuse("draining", 503), () => Promise.reject(new TypeError("cut")), streaming(from(12, 14).slice(0, -5)), streaming(from(13, 20))], { size: 8 });
  const waits = [];
  const follower = followerOf(log);
  const indices = await until(connect(follower, registry, { token: "secret-token", onRetry: ({ reason, waitMs }) => waits.push([reason, waitMs <= 2000]) }), 20);
  assert.deepEqual(indices, upTo(0, 20));
  assert.deepEqual(registry.streamed().map(({ path, id }) => [path, id]), [7, 11, 11, 11, 11, 12].map((id) => ["stream?probes=true", String(id)]));
  for (const { init } of registry.asked) {
    assert.equal(init.headers.authorization, "Bearer secret-token");
    assert.deepEqual([init.redirect, init.credentials, init.cache], ["manual", "omit", "no-store"]);
  }
  assert.ok(registry.asked.every(({ path }) => !path.includes("secret")));
  assert.deepEqual(waits.map(([reason]) => reason), ["ended", "ended", "asked-to-wait", "unreachable", "ended"]);
  assert.ok(waits.every(([, isShort]) => isShort));
});

test("a follower with a state asks for what comes after it, and for no tiles", async () => {
  const first = followerOf(log);
  await until(first.tiles(filesOf(log, { size: 8 })), 8);
  const registry = serve([streaming(from(8, 20))]);
  assert.deepEqual(await until(connect(followerOf(log, { state: first.state }), registry), 20), upTo(8, 20));
  assert.deepEqual(registry.asked.map(({ path }) => path), ["stream?probes=true"]);
});

test("it begins at the end when it is told to", async () => {
  const registry = serve([streaming(from(8, 20))], { size: 8 });
  assert.deepEqual(await until(connect(followerOf(log), registry, { from: "end" }), 20), upTo(8, 20));
  assert.ok(registry.asked.every(({ path }) => !path.startsWith("tile/entries")));
});

test("an empty log is followed from its first record, also when that came while nobody looked", async () => {
  const first = serve([streaming(streamOf(log, 0, 3))], { size: 0 });
  assert.deepEqual(await until(connect(followerOf(log), first), 3), [0, 1, 2]);
  assert.deepEqual(first.streamed().map(({ id }) => id), [undefined]);
  let size = 0;
  const later = serve([() => ((size = 2), streaming(checkpointEvent(log.checkpoint(2)) + from(2, 5))())], { size: () => size });
  assert.deepEqual(await until(connect(followerOf(log), later), 5), [0, 1, 2, 3, 4]);
});

test("a way that falls silent is left, and the caller can end it at any time", async () => {
  const registry = serve([silent(from(8, 10)), streaming(from(10, 20))], { size: 8 });
  assert.deepEqual(await until(connect(followerOf(log), registry, { idleMs: 50 }), 20), upTo(0, 20));
  const ended = new AbortController();
  const waiting = until(connect(followerOf(log), serve([silent(from(8, 10))], { size: 8 }), { signal: ended.signal }), 20);
  setTimeout(() => ended.abort(), 50);
  await assert.rejects(waiting, { code: "aborted" });
  const between = new AbortController();
  const pausing = until(connect(followerOf(log), serve([() => Promise.reject(new TypeError("cut"))], { size: 8 }), { signal: between.signal, onRetry: () => between.abort() }), 20);
  await assert.rejects(pausing, { code: "aborted" });
});

test("with a policy it asks what the witnesses have seen", async () => {
  const policy = `witness w ${witness.publicKey}\nquorum w\n`;
  let seen = 5;
  const witnessed = () => log.cosigned(witness, undefined, log.checkpoint(seen));
  const registry = serve([() => ((seen = 20), streaming(from(8, 20))())], { size: 8, witnessed });
  const ranges = [];
  for await (const event of connect(followerOf(log, { policy }), registry)) {
    if (event.kind === "proven") ranges.push([event.from, event.to]);
    if (event.to === 20) break;
  }
  assert.deepEqual(ranges, [[0, 5], [5, 20]]);
});

test("the files of a registry are nothing where there are none, and its refusals are told", async () => {
  const { fetch } = serve([]);
  const files = createLogFiles({ baseUrl: "https://registry.example", fetch });
  assert.equal(await files.checkpoint(), log.checkpoint());
  assert.equal(await files.witnessedCheckpoint(), undefined);
  assert.equal(await files.tile("tile/entries/001"), undefined);
  assert.deepEqual(Buffer.from(await files.tile("tile/entries/000.p/20")), Buffer.from(log.tile("tile/entries/000.p/20")));
  const refusing = createLogFiles({ baseUrl: "https://registry.example", fetch: async () => refuse("forbidden", 403) });
  for (const call of [() => refusing.checkpoint(), () => refusing.witnessedCheckpoint(), () => refusing.tile("tile/entries/000")]) await assert.rejects(call(), { code: "follow-refused" });
});
