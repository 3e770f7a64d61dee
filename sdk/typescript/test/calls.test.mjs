// What holds for every call: it can be ended, it can be watched without seeing the token, and its errors name the request.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createRegistryClient, RegistryClientError } from "../dist/index.js";
import { decision, problem, reply, request } from "./answers.mjs";
import { Log } from "./log.mjs";
import { Registry } from "./registry.mjs";

const TOKEN = "svcr_secret";
const never = new Promise(() => {});

/** A client whose registry is a function. */
function clientOf(answer, options = {}) {
  let time = 0;
  const fetch = async (address, init) => answer((time += 1), init, address);
  const journal = { publicKeys: [new Log().publicKey], require: false };
  return createRegistryClient({ baseUrl: "https://registry.example", fetch, token: TOKEN, journal, ...options });
}

/** An answer whose body never ends, from a `fetch` that does not listen to signals. */
const slow = () => new Response(new ReadableStream({ pull: () => never }), { status: 200, headers: { "content-type": "application/json", "svc-request-id": "slow-1" } });

const CALLS = {
  "journal.checkpoint": (client, call) => client.journal.checkpoint(call),
  "journal.entry": (client, call) => client.journal.entry(0, call),
  "journal.proof": (client, call) => client.journal.proof(0, call),
  "journal.checkReceipt": (client, call) => client.journal.checkReceipt(new Registry().grow(1).log.receipt(), call),
  "journal.keys": (client, call) => client.journal.keys(call),
  validateIndex: (client, call) => client.validateIndex(request, call),
  evaluateAcceptanceRequest: (client, call) => client.evaluateAcceptanceRequest(request, call),
  evaluatePublisherVerification: (client, call) => client.evaluatePublisherVerification(request, call),
  evaluateReviewEvidence: (client, call) => client.evaluateReviewEvidence(request, call),
  evaluateSigningRequest: (client, call) => client.evaluateSigningRequest(request, call),
  evaluateInstallPolicy: (client, call) => client.evaluateInstallPolicy(request, call),
  schema: (client, call) => client.schema("submission", call),
  problem: (client, call) => client.problem("digest-mismatch", call),
  ...Object.fromEntries(["links", "contract", "readiness", "lifecycle", "ruleset", "limits", "openapi", "version"].map((name) => [name, (client, call) => client[name](call)])),
};

test("every call can be ended, before it is sent, while the registry is silent, and in the middle of a slow body", async () => {
  const { journal, ...others } = clientOf(() => never);
  const every = [...Object.keys(others), ...Object.keys(journal).map((name) => `journal.${name}`)];
  assert.deepEqual(Object.keys(CALLS).sort(), every.sort(), "a call without a row");
  for (const [name, call] of Object.entries(CALLS)) {
    let sent = 0;
    const early = clientOf(() => { sent += 1; return never; });
    await assert.rejects(call(early, { signal: AbortSignal.abort(new Error("changed my mind")) }), (error) => error instanceof RegistryClientError && error.code === "aborted" && error.cause.message === "changed my mind", name);
    assert.equal(sent, 0, name);
    for (const answer of [() => never, slow]) {
      const ending = new AbortController();
      const result = call(clientOf(answer), { signal: ending.signal });
      setTimeout(() => ending.abort(), 5);
      await assert.rejects(result, { code: "aborted" }, name);
    }
  }
});

test("a wait before another try can be ended too", async () => {
  const ending = new AbortController();
  const onRetry = () => setTimeout(() => ending.abort(), 5);
  const busy = clientOf(() => reply(problem((body) => Object.assign(body, { code: "overloaded", status: 503 })), 503, { "retry-after": "60" }), { onRetry });
  const began = Date.now();
  await assert.rejects(busy.evaluateAcceptanceRequest(request, { signal: ending.signal }), { code: "aborted" });
  assert.ok(Date.now() - began < 5000);
});

test("a body that never ends is given up on in time, and told with the name of the request", async () => {
  await assert.rejects(clientOf(slow, { timeoutMs: 20 }).links(), { code: "timeout", requestId: "slow-1" });
});

test("nobody reads on behind a call that was ended", async () => {
  const ending = new AbortController();
  const left = new Promise((resolve) => {
    const stream = () => new ReadableStream({ pull: () => never, cancel: resolve });
    const client = clientOf(() => new Response(stream(), { headers: { "content-type": "application/json" } }));
    client.links({ signal: ending.signal }).catch(() => {});
  });
  setTimeout(() => ending.abort(), 5);
  await left;
});

test("hooks see requests, answers and waits, and never the token", async () => {
  const seen = [];
  const hook = (name) => (event) => seen.push([name, event]);
  const client = clientOf(
    (time) => {
      if (time === 1) throw new TypeError("refused");
      if (time === 2) return reply(problem((body) => Object.assign(body, { code: "overloaded", status: 503 })), 503, { "retry-after": "0" });
      return reply(decision(), 200, { "svc-request-id": "abc-3" });
    },
    { onRequest: hook("request"), onResponse: hook("response"), onRetry: hook("retry") },
  );
  assert.equal((await client.evaluateAcceptanceRequest(request)).ok, true);
  assert.deepEqual(seen.map(([name, { attempt, reason, status, requestId }]) => [name, attempt, reason ?? status, requestId]), [
    ["request", 1, undefined, undefined],
    ["retry", 1, "unreachable", undefined],
    ["request", 2, undefined, undefined],
    ["response", 2, 503, undefined],
    ["retry", 2, "asked-to-wait", undefined],
    ["request", 3, undefined, undefined],
    ["response", 3, 200, "abc-3"],
  ]);
  for (const [, event] of seen) {
    assert.ok(Object.isFrozen(event) && !JSON.stringify(event).includes(TOKEN));
    assert.equal(event.address, "https://registry.example/api/sdk/registry/acceptance-requests");
    assert.equal(event.method, "POST");
  }
});

test("what a hook throws comes out of the call, and is no failure of the registry", async () => {
  for (const name of ["onRequest", "onResponse"]) {
    const client = clientOf(() => reply(decision()), { [name]: () => { throw new RangeError("mine"); } });
    await assert.rejects(client.evaluateAcceptanceRequest(request), RangeError, name);
  }
});

test("every error after an answer names the request", async () => {
  const named = { "svc-request-id": "abc-1" };
  const answers = {
    "a redirect": () => reply("", 307, named),
    "not JSON": () => reply("<html>", 200, named),
    "another media type": () => reply(decision(), 200, { ...named, "content-type": "text/html" }),
    "open": () => reply(decision((body) => (body.accepted = true)), 200, named),
    "another document": () => reply(decision((body) => (body.artifact.digest = `sha256:${"0".repeat(64)}`)), 200, named),
    "no decision": () => reply(decision((body) => delete body.nextGate), 200, named),
    "too large": () => reply(new Uint8Array(17 * 1024 * 1024).fill(0x20), 200, named),
  };
  for (const [name, answer] of Object.entries(answers)) {
    await assert.rejects(clientOf(answer).evaluateAcceptanceRequest(request), { requestId: "abc-1" }, name);
  }
  const odd = clientOf(() => reply("", 307, { "svc-request-id": "not a name <b>" }));
  await assert.rejects(odd.links(), { code: "redirect", requestId: undefined });
});

test("a small body that unfolds into a large one is cut off, by the platform's own fetch", async (context) => {
  const bomb = gzipSync(new Uint8Array(64 * 1024 * 1024).fill(0x20), { level: 9 });
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(bomb);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  context.after(() => server.close());
  const client = createRegistryClient({ baseUrl: `http://127.0.0.1:${server.address().port}` });
  await assert.rejects(client.links(), { code: "too-large" });
});
