// A way that fails: connections that are cut, balancers that answer for a registry, and waits that are asked for. None of it is
// a lie, so that a follower comes back, and hands out nothing twice.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { createLogFiles, createRegistryClient, RegistryClientError } from "../dist/index.js";
import { problem, reply } from "./answers.mjs";
import { checkpointEvent, collect, filesOf, followerOf, recordEvent, registryOf } from "./events.mjs";

const { log } = registryOf(20);
const { log: long } = registryOf(600);

const from = (first, last) => checkpointEvent(log.checkpoint(last)) + log.records.slice(first, last).map((record) => recordEvent(record)).join("");
const upTo = (last) => Array.from({ length: last }, (_, at) => at);
const refused = (code, status) => JSON.stringify(problem((body) => Object.assign(body, { code, status, errors: [] })));
const STREAM = { "content-type": "text/event-stream" };
const PROBLEM = { "content-type": "application/problem+json" };
const HTML = { "content-type": "text/html" };

/** A registry on this machine. `answers` has what it does with each request for a path; when none is left it is honest. */
async function serve(context, answers, { of = log, size = of.records.length } = {}) {
  const asked = [];
  const server = createServer((request, response) => {
    const path = request.url.replace("/api/sdk/registry/journal/", "").split("?")[0];
    const [, rest] = Object.entries(answers).find(([name]) => path.startsWith(name)) ?? [];
    asked.push(path);
    const answer = rest?.shift();
    if (answer !== undefined) return answer(response);
    const body = path === "checkpoint" ? of.checkpoint(size) : path.startsWith("tile/") ? of.tile(path) : undefined;
    return path === "stream" ? response.writeHead(200, STREAM).flushHeaders() : response.writeHead(body === undefined ? 404 : 200, PROBLEM).end(body ?? refused("not-found", 404));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  context.after(() => (server.closeAllConnections(), server.close()));
  return { asked, baseUrl: `http://127.0.0.1:${server.address().port}` };
}

/** Says something, and cuts the connection when it has gone out. */
const cut = (status, headers, text) => (response) => {
  response.writeHead(status, headers);
  response.write(text, () => setTimeout(() => response.destroy(), 20));
};
const say = (status, headers, text) => (response) => response.writeHead(status, headers).end(text);

/** Follows until a place is proven: the places that were handed out, and why it came back. */
async function follow({ baseUrl }, size, { of = log, ...options } = {}) {
  const [indices, retries] = [[], []];
  const follower = followerOf(of);
  for await (const event of follower.connect({ baseUrl, onRetry: (retry) => retries.push(retry), signal: AbortSignal.timeout(20_000), ...options })) {
    if (event.kind === "record") indices.push(event.index);
    else if (event.to >= size) break;
  }
  return { indices, retries, reasons: retries.map(({ reason }) => reason) };
}

test("a connection that is cut in an event, or in a problem, is tried again", async (context) => {
  const whole = from(8, 14);
  const registry = await serve(
    context,
    { stream: [cut(200, STREAM, whole.slice(0, -300)), cut(503, { ...PROBLEM, "content-length": "900" }, refused("draining", 503).slice(0, 100)), (response) => response.destroy(), say(200, STREAM, from(13, 20))] },
    { size: 8 },
  );
  const { indices, reasons } = await follow(registry, 20);
  assert.deepEqual(indices, upTo(20));
  assert.deepEqual(reasons, ["unreachable", "unreachable", "unreachable"]);
});

test("whatever a platform throws while a source is read has a code, and takes nothing back", async (context) => {
  const { baseUrl } = await serve(context, { stream: [cut(200, STREAM, from(0, 3)), cut(200, STREAM, from(0, 3)), cut(410, { ...PROBLEM, "content-length": "900" }, "{")] });
  const response = () => fetch(`${baseUrl}/api/sdk/registry/journal/stream`);
  for (const source of [
    await response(),
    (await response()).body,
    await response(),
    new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) }),
    (async function* () {
      yield new Uint8Array(Buffer.from(from(0, 3)));
      throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
    })(),
  ]) {
    const follower = followerOf(log);
    await assert.rejects(collect(follower.stream(source)), (error) => error instanceof RegistryClientError && error.code === "unreachable" && error.cause instanceof Error);
    assert.ok([0, 3].includes(follower.nextIndex));
  }
  const locked = new ReadableStream();
  locked.getReader();
  for (const source of [locked, null, "text", {}]) await assert.rejects(collect(followerOf(log).stream(source)), { code: "configuration" });
});

test("a balancer that answers for a registry is the way, in whatever form, for the stream and for every file", async (context) => {
  const balancers = () => [408, 429, 502, 503, 504].map((status, at) => say(status, at % 2 === 0 ? HTML : {}, at % 2 === 0 ? "<h1>later</h1>" : ""));
  const [two, three] = [balancers().slice(0, 2), balancers().slice(2)];
  const registry = await serve(context, { checkpoint: [say(503, HTML, "x".repeat(300_000))], "tile/entries": [say(502, HTML, "")], stream: [...two, say(503, { "content-type": "application/json" }, '{"message":"down"}'), say(200, STREAM, from(8, 20))] }, { size: 8 });
  const { indices, reasons } = await follow(registry, 20);
  assert.deepEqual(indices, upTo(20));
  assert.deepEqual(reasons, Array(5).fill("unreachable"));
  const { baseUrl } = await serve(context, { checkpoint: three, "tile/": balancers() });
  const files = createLogFiles({ baseUrl });
  for (const _ of upTo(3)) await assert.rejects(files.checkpoint(), { code: "unreachable" });
  for (const path of ["tile/0/000.p/20", "tile/entries/000.p/20", "tile/0/000.p/20", "tile/entries/000.p/20", "tile/0/000.p/20"]) await assert.rejects(files.tile(path), { code: "unreachable" });
  const open = await serve(context, { stream: [say(503, HTML, '{"accepted":true}')] }, { size: 8 });
  await assert.rejects(follow(open, 20), { code: "fail-open" });
});

/** What others say in a registry's place: a status, its headers, and a body. */
const FOREIGN = [400, 401, 403, 404, 405, 409, 410, 425, 451, 500, 501, 505, 507, 511, 520, 522, 525, 530, 599]
  .flatMap((status) => [[status, HTML, "<!doctype html><h1>no</h1>"], [status, {}, ""]])
  .concat([
    [403, HTML, refused("forbidden", 403)],
    [404, { "content-type": "application/json" }, '{"message":"no Route matched"}'],
    [404, PROBLEM, '{"type":"about:blank","title":"Not Found","status":404}'],
    [410, PROBLEM, '{"code":"pruned"}'],
    [410, PROBLEM, `${refused("pruned", 410)}<!-- by the cache -->`],
    [500, PROBLEM, "<html>"],
    [520, HTML, "x".repeat(300_000)],
  ]);

test("a refusal that is no closed problem is of somebody on the way, with any status, and is tried again", async (context) => {
  await Promise.all(
    FOREIGN.map(async (answer) => {
      const registry = await serve(context, { stream: [say(...answer), say(200, STREAM, from(8, 20))] }, { size: 8 });
      const { indices, retries } = await follow(registry, 20);
      assert.deepEqual(indices, upTo(20), String(answer));
      assert.deepEqual(retries.map(({ reason, status }) => [reason, status]), [["unreachable", answer[0]]], String(answer));
    }),
  );
});

test("so it is for every file that a follower asks for: what somebody on the way does not have, the log may have", async (context) => {
  const { asked, baseUrl } = await serve(context, Object.fromEntries(["checkpoint", "tile/entries"].map((name) => [name, [say(404, HTML, "<h1>404</h1>"), say(520, {}, "")]])));
  const { indices, retries } = await follow({ baseUrl }, 20);
  assert.deepEqual(indices, upTo(20));
  assert.deepEqual(retries.map(({ reason, status }) => [reason, status]), [404, 520, 404, 520].map((status) => ["unreachable", status]));
  assert.equal(asked.filter((path) => path === "checkpoint").length, 5);
  const others = await serve(context, Object.fromEntries(["checkpoint", "witnessed-checkpoint", "minimum-index", "tile/"].map((name) => [name, FOREIGN.map((answer) => say(...answer))])));
  const files = createLogFiles(others);
  for (const ask of [() => files.checkpoint(), () => files.witnessedCheckpoint(), () => files.minimumIndex(), () => files.tile("tile/entries/000.p/20")]) {
    for (const [status] of FOREIGN) await assert.rejects(ask(), ({ code, cause }) => code === "unreachable" && cause.status === status && cause.fromIntermediary);
  }
  for (const ask of [() => files.witnessedCheckpoint(), () => files.minimumIndex(), () => files.tile("tile/entries/001")]) assert.equal(await ask(), undefined, "the registry's own word for it is believed");
});

test("what a registry refuses in a closed problem stays refused, and a yes stays one", async (context) => {
  for (const [code, answer] of [
    ["follow-refused", say(401, PROBLEM, refused("unauthenticated", 401))],
    ["follow-refused", say(403, PROBLEM, refused("forbidden", 403))],
    ["follow-refused", say(404, PROBLEM, refused("not-found", 404))],
    ["follow-ahead-of-log", say(409, PROBLEM, refused("ahead-of-log", 409))],
    ["follow-pruned", say(410, PROBLEM, refused("pruned", 410))],
    ["contract", say(403, PROBLEM, refused("pruned", 410))],
    ["fail-open", say(520, HTML, '{"accepted":true}')],
    ["fail-open", say(404, PROBLEM, '{"signed":true}')],
    ["unexpected-answer", say(200, HTML, "<h1>welcome</h1>")],
  ]) {
    const registry = await serve(context, { stream: [answer] }, { size: 8 });
    await assert.rejects(follow(registry, 20), { code });
    assert.equal(registry.asked.filter((path) => path === "stream").length, 1, code);
  }
  const open = createLogFiles(await serve(context, { "tile/": [say(404, PROBLEM, '{"accepted":true}')] }));
  await assert.rejects(open.tile("tile/entries/000.p/20"), { code: "fail-open" });
});

test("a page that stays is asked for less and less often, is told each time, and ends with the caller", async (context) => {
  const registry = await serve(context, { stream: Array.from({ length: 9 }, () => say(404, HTML, "<h1>404</h1>")) }, { size: 8 });
  const retries = [];
  const ended = new AbortController();
  const onRetry = (retry) => {
    retries.push(retry);
    if (retries.length === 4) ended.abort();
  };
  await assert.rejects(follow(registry, 20, { onRetry, signal: ended.signal }), { code: "aborted" });
  assert.deepEqual(retries.map(({ reason, status }) => [reason, status]), Array(4).fill(["unreachable", 404]));
  [500, 1000, 2000, 4000].forEach((most, at) => assert.ok(retries[at].waitMs <= most && retries[at].waitMs >= most / 4, `${at}: ${retries[at].waitMs}`));
});

test("a problem that says later is come back for, also 408", async (context) => {
  const registry = await serve(context, { stream: [say(408, PROBLEM, refused("timeout", 408)), say(200, STREAM, from(8, 20))] }, { size: 8 });
  assert.deepEqual((await follow(registry, 20)).reasons, ["asked-to-wait"]);
});

test("a wait that is asked for is kept, within a bound", async (context) => {
  const wait = (seconds, status = 429) => say(status, { ...PROBLEM, "retry-after": seconds }, refused("rate-limited", status));
  const waits = [];
  const long = [wait("86400", 503), wait("9".repeat(23), 503), wait("Wed, 21 Oct 2065 07:28:00 GMT"), say(520, { ...HTML, "retry-after": "Wed, 21 Oct 2065 07:28:00 GMT" }, "")];
  const registry = await serve(context, { stream: [wait("1"), say(503, { ...HTML, "retry-after": "1" }, ""), wait("soon"), wait("86400", 503)] }, { size: 8 });
  const ended = new AbortController();
  const onRetry = ({ reason, waitMs }) => {
    waits.push([reason, waitMs]);
    if (waits.length === 4) ended.abort();
  };
  await assert.rejects(follow(registry, 20, { onRetry, signal: ended.signal }), { code: "aborted" });
  assert.deepEqual(waits.map(([reason]) => reason), Array(4).fill("asked-to-wait"));
  const [first, second, third, last] = waits.map(([, waitMs]) => waitMs);
  assert.ok(first >= 1000 && first <= 1250 && second >= 1000 && second <= 1250, `${first} ${second}`);
  assert.ok(third <= 2000 && last >= 60_000 && last <= 60_250, `${third} ${last}`);
  for (const answer of long) {
    const asking = await serve(context, { stream: [answer] }, { size: 8 });
    const told = new AbortController();
    const onLong = ({ reason, waitMs }) => {
      assert.ok(reason === "asked-to-wait" && waitMs >= 60_000 && waitMs <= 60_250, `${reason} ${waitMs}`);
      told.abort();
    };
    await assert.rejects(follow(asking, 20, { onRetry: onLong, signal: told.signal }), { code: "aborted" });
  }
});

test("a stream that ends at once is asked for less and less often, until it brings something", async (context) => {
  const nothing = (size) => say(200, STREAM, checkpointEvent(log.checkpoint(size)));
  const registry = await serve(context, { stream: [nothing(8), nothing(8), nothing(8), say(200, STREAM, from(8, 9)), nothing(9)] }, { size: 8 });
  const waits = [];
  const ended = new AbortController();
  const onRetry = ({ reason, waitMs }) => {
    waits.push(waitMs);
    assert.equal(reason, "ended");
    if (waits.length === 5) ended.abort();
  };
  await assert.rejects(follow(registry, 20, { onRetry, signal: ended.signal }), { code: "aborted" });
  // The tiles before the first stream brought something.
  [250, 500, 1000, 250, 500].forEach((most, at) => assert.ok(waits[at] <= most && waits[at] >= most / 2, `${at}: ${waits[at]}`));
});

test("the caller's signal and time are for the bytes of a refusal too", async (context) => {
  const stalled = (response) => response.writeHead(503, PROBLEM).flushHeaders();
  const registry = await serve(context, { stream: [stalled, stalled, stalled] }, { size: 8 });
  const began = Date.now();
  const retries = [];
  await assert.rejects(follow(registry, 20, { signal: AbortSignal.timeout(300) }), { code: "aborted" });
  await assert.rejects(follow(registry, 20, { timeoutMs: 200, signal: AbortSignal.timeout(400), onRetry: ({ reason }) => retries.push(reason) }), { code: "aborted" });
  assert.deepEqual(retries, ["unreachable"]);
  assert.ok(Date.now() - began < 5000);
});

test("tiles that are cut in the middle hand out no record twice", async (context) => {
  const registry = await serve(context, { "tile/entries/001": Array.from({ length: 5 }, () => (response) => response.destroy()) }, { of: long });
  const follower = followerOf(long);
  const files = createLogFiles({ baseUrl: registry.baseUrl });
  const indices = [];
  const take = async () => {
    for await (const event of follower.tiles(files)) if (event.kind === "record") indices.push(event.index);
  };
  await assert.rejects(take(), { code: "unreachable" });
  assert.equal(follower.nextIndex, 256);
  await take();
  assert.deepEqual(indices, upTo(600));
  assert.equal(follower.state.size, 600);
});

test("a tile that comes later is no sign of a log that lies", async () => {
  let size = 5;
  const files = filesOf(log);
  const fetch = async (address) => {
    const path = address.split("/journal/")[1];
    if (path === "checkpoint") return new Response(log.checkpoint(size));
    return size === 20 ? reply(refused("overloaded", 503), 503) : new Response(await files.tile(path));
  };
  const client = createRegistryClient({ baseUrl: "https://registry.example", fetch, journal: { publicKeys: [log.publicKey] } });
  assert.equal((await client.journal.checkpoint()).value.size, 5);
  size = 20;
  await assert.rejects(client.journal.checkpoint(), { code: "unreachable" });
});

test("nor is a page in the place of a tile", async () => {
  for (const page of [() => reply("<h1>404</h1>", 404, HTML), () => reply("", 520, HTML), () => reply("x".repeat(70_000), 530, HTML), () => reply(refused("internal", 500), 500)]) {
    let size = 5;
    const fetch = async (address) => (address.endsWith("/checkpoint") ? new Response(log.checkpoint(size)) : page());
    const client = createRegistryClient({ baseUrl: "https://registry.example", fetch, journal: { publicKeys: [log.publicKey] } });
    await client.journal.checkpoint();
    size = 20;
    await assert.rejects(client.journal.checkpoint(), { code: "unreachable" });
  }
});
