// Registries that lie, against a client that insists on the journal. Each lie is refused with the code of its own. What somebody
// between the client and an honest registry can say is a row of live/liars.test.mjs; most of these need the log's key, or a
// second log.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistryClient, FailOpenError, LogError, ProofError, RegistryClientError } from "../dist/index.js";
import { request } from "./answers.mjs";
import { Log, makeKey } from "./log.mjs";
import { Registry } from "./registry.mjs";

const tampered = new TextEncoder().encode(new TextDecoder().decode(request).replace('"accepted": false', '"accepted": true'));
const never = new Promise(() => {});

/** A registry, and a client that insists on its log. */
function meet({ lie, options = {}, journal = {}, registry = new Registry() } = {}) {
  const fetch = registry.fetchWith(lie === undefined ? undefined : (asked, honest) => lie(asked, honest, registry));
  const client = createRegistryClient({
    baseUrl: "https://registry.example",
    fetch,
    journal: { publicKeys: [registry.log.publicKey], ...journal },
    ...options,
  });
  return { registry, client };
}

const isPost = ({ init }) => init.method === "POST";

/** A lie in the answers to documents: another body for the honest one. */
const inAnswer = (change) => async (asked, honest, registry) => {
  if (!isPost(asked)) return honest();
  const response = honest();
  const body = await response.json();
  return registry.send((await change(body, registry, asked)) ?? body);
};

/** The same from the second answer on. */
const later = (lie) => {
  let answers = 0;
  return (asked, honest, registry) => {
    answers += isPost(asked) ? 1 : 0;
    return answers > 1 ? lie(asked, honest, registry) : honest();
  };
};

const other = new Log({ byte: 9 });

/** Lies in the answer to a good document; the control is the honest registry. */
const FIRST = {
  "a receipt signed by another key": ["proof-unknown-key", ProofError, inAnswer(({ receipt, ...answer }, registry) => registry.put(answer, {}, { log: other }))],
  "a checkpoint that is none": ["proof-malformed-checkpoint", ProofError, inAnswer((body) => void (body.receipt.checkpoint = "signed"))],
  "a date of no day": ["proof-malformed", ProofError, inAnswer(({ receipt, ...answer }, registry) => registry.put(answer, {}, { change: (record) => (record.time = "2026-02-30T06:00:00.000Z") }))],
  "a record with a problem too many": ["proof-not-a-refusal", ProofError, inAnswer(({ receipt, ...answer }, registry) => registry.put(answer, {}, { change: (record) => (record.problem = "digest-mismatch") }))],
  "a record of another endpoint": ["proof-not-a-refusal", ProofError, inAnswer(({ receipt, ...answer }, registry) => registry.put(answer, { operation: "validate-index" }))],
  "a record of another document": ["proof-other-artifact", ProofError, inAnswer(({ receipt, ...answer }, registry) => registry.put(answer, { artifact: { ...answer.artifact, digest: `sha256:${"0".repeat(64)}` } }))],
  "a record of a yes, hashed and signed": ["fail-open", FailOpenError, inAnswer(({ receipt, ...answer }, registry) => registry.put(answer, { accepted: true }))],
  "a body that never comes": ["timeout", RegistryClientError, () => new Response(new ReadableStream({ pull: () => never }), { headers: { "content-type": "application/json" } })],
};

test("a registry that lies about an answer is refused, each lie with its code", async () => {
  for (const [name, [code, kind, lie]] of Object.entries(FIRST)) {
    const { client } = meet({ lie, options: { timeoutMs: 200 } });
    await assert.rejects(client.evaluateAcceptanceRequest(request), (error) => {
      assert.ok(error instanceof kind, `${name}: ${error}`);
      assert.equal(error.code, code, name);
      if (kind === ProofError) assert.ok(error.requestId !== undefined, name);
      return true;
    });
  }
});

/** Lies in the refusal of a tampered document. */
const REFUSALS = {
  "a changed reason": ["proof-other-answer", inAnswer((body) => void (body.errors[0].detail = "fine"))],
  "the refusal of other bytes": ["proof-other-request", inAnswer((_, registry) => registry.refuse("other"))],
  "a gate passed for tampered input alone": ["fail-open", inAnswer((body) => void (body.gateStatuses["artifact-signing"] = "signed"))],
  "a missing gate left out": ["contract", inAnswer((body) => void body.missingGates.pop())],
};

test("a registry that lies about a refusal is refused too", async () => {
  for (const [name, [code, lie]] of Object.entries(REFUSALS)) {
    const { client } = meet({ lie: (asked, honest, registry) => (asked.init.body === tampered ? lie(asked, honest, registry) : honest()) });
    assert.equal((await client.evaluateAcceptanceRequest(request)).ok, true, name);
    await assert.rejects(client.evaluateAcceptanceRequest(tampered), { code }, name);
  }
});

/** The registry goes on with another log. */
const goOn = (change) => {
  let began = false;
  return later((asked, honest, registry) => {
    if (!began) {
      began = true;
      registry.log = change(registry.log, registry);
    }
    return honest();
  });
};

const forked = (log, registry) => {
  const other = log.fork(0);
  registry.grow(log.leaves.length, other);
  return other;
};

/** Lies that only the second answer shows. */
const SECOND = {
  "the first answer again": ["proof-stale", ProofError, (() => {
    let first;
    return inAnswer((body) => (first ??= body));
  })()],
  "an old record under a new checkpoint": ["proof-stale", ProofError, (() => {
    let first;
    return inAnswer((body, registry) => {
      first ??= body;
      return { ...first, receipt: registry.log.receipt(first.receipt.index) };
    });
  })()],
  "a stale answer, from before what was seen": ["log-shrank", LogError, (() => {
    let stale;
    return async (asked, honest, registry) => {
      if (!isPost(asked)) return honest();
      stale ??= registry.decide();
      return asked.time === 1 ? registry.grow(3).send(registry.decide()) : registry.send(stale);
    };
  })()],
  "a log that shrank": ["log-shrank", LogError, goOn((log) => log.fork(2))],
  "a forked log, by the receipt of the next record": ["log-forked", LogError, goOn(forked)],
  "a forked log, by its tiles": ["log-forked", LogError, goOn((log, registry) => { const other = forked(log, registry); registry.grow(300, other); return other; })],
  "two roots of one size": ["log-forked", LogError, goOn((log, registry) => { const other = forked(log, registry).fork(log.leaves.length - 1); return other; }), { concurrent: true }],
  "a fork with the tiles of the old log": ["log-unproven", LogError, (() => {
    let old;
    const fork = goOn((log, registry) => { old = log.fork(); registry.grow(9, old); const other = forked(log, registry); registry.grow(5, other); return other; });
    return async (asked, honest, registry) => {
      const answer = await fork(asked, honest, registry);
      return asked.path.includes("/tile/") ? new Response(old.tile(asked.path.replace("/journal/", ""))) : answer;
    };
  })()],
  "growth that nobody proves": ["log-unproven", LogError, (asked, honest, registry) => {
    if (asked.path.includes("/tile/")) return registry.send(registry.refusal("not-found", 404));
    if (isPost(asked)) registry.grow(3);
    return honest();
  }],
  "tiles of another length": ["log-unproven", LogError, (asked, honest, registry) => {
    if (asked.path.includes("/tile/")) return new Response(new Uint8Array(32));
    if (isPost(asked)) registry.grow(3);
    return honest();
  }],
};

test("what was seen once is held against every later answer, with both signed states as evidence", async () => {
  for (const [name, [code, kind, lie, { concurrent = false } = {}]] of Object.entries(SECOND)) {
    const { client, registry } = meet({ lie, registry: new Registry().grow(5) });
    // Requests that are under way together are held against each other by what they bring.
    const first = client.evaluateAcceptanceRequest(request);
    if (!concurrent) assert.equal((await first).ok, true, name);
    const second = client.evaluateAcceptanceRequest(request);
    await assert.rejects(Promise.all([first, second]), (error) => {
      assert.ok(error instanceof kind, `${name}: ${error.stack}`);
      assert.equal(error.code, code, name);
      assert.match(error.requestId, /^request-\d+$/, name);
      if (kind === LogError) {
        assert.equal(error.evidence.length, 2);
        for (const { origin, note, size, rootHash } of error.evidence) {
          assert.equal(origin, registry.log.key.name);
          assert.ok(note.startsWith(`${origin}\n${size}\n`) && rootHash.startsWith("sha256:"));
        }
        assert.notEqual(error.evidence[0].note, error.evidence[1].note, name);
        assert.ok(Object.isFrozen(error.evidence));
      }
      return true;
    }, name);
  }
});

test("an honest registry is believed: alone, beside other clients, with many requests at once, and for refusals", async () => {
  const { client, registry } = meet();
  for (let time = 0; time < 3; time += 1) assert.equal((await client.evaluateAcceptanceRequest(request)).ok, true);
  assert.equal(registry.asked.length, 3, "alone, the receipts prove that the log grew");
  registry.grow(700);
  assert.equal((await client.evaluateAcceptanceRequest(tampered)).ok, false);
  assert.ok(registry.asked.length <= 3 + 1 + 4, "beside others, a few tiles do");
  const many = Array.from({ length: 12 }, (_, at) => client.evaluateAcceptanceRequest(at % 3 === 0 ? tampered : request));
  assert.equal((await Promise.all(many)).length, 12);
  const { client: slow, registry: behind } = meet({ lie: async (asked, honest) => {
    const answer = honest();
    await new Promise((done) => setTimeout(done, isPost(asked) ? 20 - asked.time * 2 : 0));
    return answer;
  } });
  await Promise.all(Array.from({ length: 8 }, () => slow.evaluateAcceptanceRequest(request)));
  assert.equal(behind.log.leaves.length, 8, "answers that overtake each other are of one log");
});

test("two answers that are under way together are held against each other, however long their proofs take", async () => {
  const registry = new Registry().grow(5);
  const fetch = registry.fetchWith();
  const logs = [];
  let isForking = false;
  const client = createRegistryClient({
    baseUrl: "https://registry.example",
    journal: { publicKeys: [registry.log.publicKey] },
    // Each of two requests is answered out of a log of its own, and each log proves what it grew from.
    fetch: async (address, init) => {
      if (!isForking) return fetch(address, init);
      if (init.method === "POST") {
        const log = registry.log.fork();
        logs.push(log);
        const other = Object.assign(new Registry(), { log });
        return other.grow(2 + logs.length).send(other.decide());
      }
      await new Promise((done) => setTimeout(done, 5));
      const width = Number(address.split(".p/")[1]);
      return new Response(logs.find(({ leaves }) => leaves.length === width).tile(address.slice(address.indexOf("tile/"))));
    },
  });
  assert.equal((await client.evaluateAcceptanceRequest(request)).ok, true);
  isForking = true;
  const answers = await Promise.allSettled([client.evaluateAcceptanceRequest(request), client.evaluateAcceptanceRequest(request)]);
  assert.deepEqual(answers.map(({ status, reason }) => reason?.code ?? status).sort(), ["fulfilled", "log-forked"], "whichever comes first");
});

test("a refusal that leaves no record needs no receipt, and a registry without a journal can be tolerated", async () => {
  const { client } = meet({ lie: (_, __, registry) => registry.send(registry.refusal("rate-limited", 429)) });
  assert.equal((await client.evaluateAcceptanceRequest(request)).problem.code, "rate-limited");
  const dropped = inAnswer((body) => void delete body.receipt);
  const tolerant = meet({ lie: dropped, journal: { require: false } });
  assert.equal((await tolerant.client.evaluateAcceptanceRequest(request)).ok, true);
  const wrong = meet({ lie: inAnswer((body) => void (body.requestId = "another")), journal: { require: false } });
  await assert.rejects(wrong.client.evaluateAcceptanceRequest(request), { code: "proof-other-answer" });
});

test("a refusal with a code of a later version is proven as any other, and its record's code is the answer's", async () => {
  const later = (body) => (body.code = body.errors[0].code = "quota-exceeded");
  const honest = inAnswer((_, registry, { init }) => registry.refuse(init.body, later));
  const { problem: refused } = await meet({ lie: honest }).client.evaluateAcceptanceRequest(tampered);
  assert.equal(refused.code, "quota-exceeded");
  assert.equal(refused.receipt.record.problem, "quota-exceeded");
  const other = { "another-code": "proof-other-problem", "Quota!": "contract", "not-found": "proof-not-a-refusal" };
  for (const [code, fault] of Object.entries(other)) {
    const change = (record) => (record.problem = code);
    const lie = inAnswer(({ receipt, ...answer }, registry) => registry.put({ ...answer, code: "quota-exceeded" }, { bodyDigest: receipt.record.bodyDigest, problem: code }, { change }));
    await assert.rejects(meet({ lie }).client.evaluateAcceptanceRequest(tampered), { code: fault }, code);
  }
});

test("a slow body is ended by the caller, with the journal too", async () => {
  const ending = new AbortController();
  const { client } = meet({ lie: () => new Response(new ReadableStream({ pull: () => never }), { headers: { "content-type": "application/json" } }) });
  const result = client.evaluateAcceptanceRequest(request, { signal: ending.signal });
  setTimeout(() => ending.abort(), 5);
  await assert.rejects(result, { code: "aborted" });
  const stuck = new AbortController();
  const { client: proving } = meet({ registry: new Registry().grow(2), lie: (asked, honest, registry) => {
    if (asked.path.includes("/tile/")) { stuck.abort(); return never; }
    if (isPost(asked)) registry.grow(2);
    return honest();
  } });
  assert.equal((await proving.evaluateAcceptanceRequest(request)).ok, true);
  await assert.rejects(proving.evaluateAcceptanceRequest(request, { signal: stuck.signal }), { code: "aborted" });
  assert.equal((await meet().client.evaluateAcceptanceRequest(request)).ok, true);
});

test("keys that are none are a mistake of the caller", () => {
  const { publicKey } = new Log();
  const odd = makeKey("svc-journal-else", 9).publicKey;
  for (const publicKeys of [[], [""], ["x"], [publicKey, odd], publicKey, undefined, [1], [publicKey.replace("+", "-")]]) {
    assert.throws(() => createRegistryClient({ baseUrl: "https://a.example", journal: { publicKeys } }), { code: "configuration" }, `${publicKeys}`);
  }
});
