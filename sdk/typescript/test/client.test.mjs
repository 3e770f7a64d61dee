import assert from "node:assert/strict";
import { test } from "node:test";
import { ContractError, createRegistryClient, FailOpenError, PROBLEMS, RegistryClientError, UnexpectedAnswerError } from "../dist/index.js";
import { decision, problem, reply, request } from "./answers.mjs";

function ask(answer, options = {}) {
  const sent = [];
  const fetch = async (address, init) => {
    sent.push({ address, init });
    return typeof answer === "function" ? answer(sent.length, init) : answer;
  };
  const client = createRegistryClient({ baseUrl: "https://registry.example", fetch, ...options });
  return { sent, result: client.evaluateAcceptanceRequest(request) };
}

const OPEN_CLAIMS = {
  "accepted true": (body) => (body.accepted = true),
  "signed as text": (body) => (body.signed = "false"),
  "installable null": (body) => (body.installable = null),
  "installable zero": (body) => (body.installable = 0),
  "a flag in capitals": (body) => (body.Accepted = true),
  "a flag deep inside": (body) => (body.later = { inner: [{ installable: true }] }),
  "a flag among the gates": (body) => (body.gateStatuses.accepted = true),
  "gate cleared": (body) => (body.gateStatuses["artifact-signing"] = "signed"),
  "gate cleared in capitals": (body) => (body.gateStatuses["artifact-signing"] = " Signed "),
  "gate true": (body) => (body.gateStatuses["artifact-signing"] = true),
  "gate as an object": (body) => (body.gateStatuses["renderer-isolation"] = { status: "isolated" }),
  "gate added and passed": (body) => (body.gateStatuses["self-review"] = "approved"),
  "a gate of a list": (body) => (body.gates = [{ gate: "review-storage", status: "stored" }]),
  "another outcome": (body) => (body.outcome = "accepted"),
  "an outcome deep inside": (body) => (body.later = [{ outcome: "approved" }]),
  "another status": (body) => (body.status = "published"),
  "another stage": (body) => (body.stage = "installable"),
  "a code that says done": (body) => (body.code = "Accepted"),
  "a reason that says done": (body) => (body.errors = [{ code: "approved", detail: "x", pointer: "", rule: "SVC-B003" }]),
  "a flag in a reason": (body) => (body.errors = [{ code: "digest-mismatch", detail: "x", later: { signed: true }, pointer: "", rule: "SVC-B003" }]),
  "a flag under a later code": (body) => Object.assign(body, { code: "quota-exceeded", later: [[{ Accepted: 1 }]] }),
};

test("every open claim in an answer is thrown, in decisions and problems alike", async () => {
  for (const [name, change] of Object.entries(OPEN_CLAIMS)) {
    await assert.rejects(ask(reply(decision(change))).result, FailOpenError, name);
    await assert.rejects(ask(reply(problem(change), 422)).result, FailOpenError, name);
    await assert.rejects(ask(reply(decision(change), 200, { "content-type": "text/html" })).result, FailOpenError, `${name}, as a page`);
    await assert.rejects(ask(reply(decision(change), 500)).result, FailOpenError, `${name}, as a failure`);
  }
  const twice = JSON.stringify(decision()).replace('"accepted":false', '"accepted":false,"accepted":true');
  await assert.rejects(ask(reply(twice)).result, FailOpenError, "behind a member of the same name");
});

/** A member under another name is not there, also when the name is nearly right. */
const MISSPELT = ["accepted", "missingGates", "gateStatuses", "installable", "signed", "requestId"];

test("what a later version may add takes no place of what must be there", async () => {
  for (const name of MISSPELT) {
    const change = (body) => {
      body[`${name}s`] = body[name] ?? "1";
      delete body[name];
    };
    const without = (body) => (change(body), body);
    await assert.rejects(ask(reply(name === "requestId" ? without(decision()) : decision(change))).result, ContractError, name);
    await assert.rejects(ask(reply(problem(change), 422)).result, ContractError, name);
  }
});

/** Closed, and not of our contract: what another registry or another version says. */
const OTHER_CONTRACTS = {
  "accepted missing": (body) => delete body.accepted,
  "gate dropped": (body) => delete body.gateStatuses["artifact-signing"],
  "gate added": (body) => (body.gateStatuses["self-review"] = "evidenced"),
  "another word for a no": (body) => (body.gateStatuses["artifact-signing"] = "missing"),
  "no gates": (body) => delete body.gateStatuses,
  "missing gates emptied": (body) => (body.missingGates = []),
  "missing gate dropped": (body) => (body.missingGates = body.missingGates.slice(1)),
  "missing gates gone": (body) => delete body.missingGates,
  "a missing gate in place of another": (body) => (body.missingGates = body.missingGates.with(-1, body.missingGates[0])),
};

test("a closed answer of another contract is refused as that, and never called open", async () => {
  const isOther = (error) => error instanceof ContractError && error instanceof UnexpectedAnswerError && error.code === "contract";
  for (const [name, change] of Object.entries(OTHER_CONTRACTS)) {
    await assert.rejects(ask(reply(decision(change))).result, isOther, name);
    await assert.rejects(ask(reply(problem(change), 422)).result, isOther, name);
  }
  for (const outcome of ["Denied", "", null, undefined, true, ["denied"]]) {
    await assert.rejects(ask(reply(decision((body) => (body.outcome = outcome)))).result, isOther, `${outcome}`);
  }
});

/** Registries that somebody else wrote from the six paths and the closed outcome alone. */
const HONEST_STRANGERS = {
  "the least": { accepted: false, installable: false, gateStatuses: { "artifact-hash": "verified", "publisher-verification": "missing" } },
  "with all flags": { accepted: false, signed: false, installable: false, gateStatuses: { "artifact-hash": true, "artifact-signing": false } },
  "gates as a list": { installable: false, gateStatuses: [{ gate: "artifact-hash", status: "verified" }, { gate: "artifact-signing", status: "missing" }], accepted: false },
  "gates as objects": { accepted: false, installable: false, gateStatuses: { "artifact-hash": { status: "verified" }, "artifact-signing": { status: "unsigned" } } },
  "with words of its own": { accepted: false, installable: false, status: "rejected", stage: "review", outcome: "no", gateStatuses: { "artifact-hash": "evidenced" }, message: "not signed, not accepted" },
};

test("an honest registry of somebody else is another one, and not open", async () => {
  for (const [name, body] of Object.entries(HONEST_STRANGERS)) {
    for (const answer of [reply(body), reply(body, 422), reply({ error: "digest mismatch", accepted: false }, 400, { "content-type": "application/json" })]) {
      await assert.rejects(ask(answer).result, { name: "ContractError", code: "contract" }, name);
    }
    const opened = reply({ ...body, installable: true });
    await assert.rejects(ask(opened).result, { name: "FailOpenError", code: "fail-open", pointers: ["/installable"] }, name);
  }
});

const LIES = {
  "not JSON": ["unexpected-answer", () => reply("<html>yes</html>")],
  "HTML with status 200": ["unexpected-answer", () => reply("<html></html>", 200, { "content-type": "text/html" })],
  "nothing": ["unexpected-answer", () => reply("")],
  "a member twice": ["unexpected-answer", () => reply(JSON.stringify(decision()).replace("{", '{"kind":"svc-registry-decision",'))],
  "a second document": ["unexpected-answer", () => reply(`${JSON.stringify(decision())}{}`)],
  "not UTF-8": ["unexpected-answer", () => reply(Uint8Array.of(0x7b, 0xff, 0x7d))],
  "a list": ["contract", () => reply("[]")],
  "another operation": ["unexpected-answer", () => reply(decision((body) => (body.operation = "validate-index")))],
  "files that a registry never reads": ["contract", () => reply(decision((body) => (body.reviewed = "read")))],
  "a review called whole": ["contract", () => reply(decision((body) => (body.reviewed = "whole")))],
  "another digest of the package": ["unexpected-answer", () => reply(decision((body) => (body.digestCheck = { declared: `sha256:${"0".repeat(64)}`, matches: true, recomputed: `sha256:${"0".repeat(64)}` })))],
  "another document": ["unexpected-answer", () => reply(decision((body) => (body.artifact.digest = `sha256:${"0".repeat(64)}`)))],
  "another kind": ["unexpected-answer", () => reply(decision((body) => (body.artifact.kind = "svc-registry-index")))],
  "an id that does not recompute": ["contract", () => reply({ ...decision(), nextGate: "review-storage" })],
  "a digest check that fails": ["contract", () => reply(decision((body) => (body.digestCheck.matches = false)))],
  "the last stage": ["contract", () => reply(decision((body) => (body.stage = "signed-package")))],
  "a problem with status 200": ["contract", () => reply(problem())],
  "a decision with status 422": ["contract", () => reply(decision(), 422)],
  "a problem of another status": ["contract", () => reply(problem((body) => (body.status = 400)), 422)],
  "a problem code that is none": ["contract", () => reply(problem((body) => (body.code = "<b>Fine</b>")), 422)],
  "a problem code without end": ["contract", () => reply(problem((body) => (body.code = "a".repeat(65))), 422)],
  "a problem code that is a number": ["contract", () => reply(problem((body) => (body.code = 422)), 422)],
  "a problem without a code": ["contract", () => reply(problem((body) => delete body.code), 422)],
  "a reason whose code is none": ["contract", () => reply(problem((body) => (body.errors[0].code = "")), 422)],
  "a decision of another media type": ["contract", () => reply(decision(), 200, { "content-type": "text/html" })],
  "a problem as plain text": ["unexpected-answer", () => reply("no", 500, { "content-type": "text/plain" })],
  "a redirect": ["redirect", () => reply("", 307, { location: "https://elsewhere.example/" })],
  "an endless answer": ["too-large", () => reply(new Uint8Array(17 * 1024 * 1024).fill(0x20))],
};

test("an answer that no registry gives is thrown, and nothing of it is used", async () => {
  for (const [name, [code, lie]] of Object.entries(LIES)) {
    await assert.rejects(ask(lie()).result, (error) => error instanceof UnexpectedAnswerError && error.code === code, name);
  }
});

test("a refusal that is not the registry's says so, with its status and the wait that it asks for", async () => {
  const page = { "content-type": "text/html", "retry-after": "7" };
  for (const [code, status, body, headers] of [
    ["unexpected-answer", 500, "<h1>no</h1>", page],
    ["unexpected-answer", 404, "", page],
    ["unexpected-answer", 520, "<html>", { "retry-after": "7" }],
    ["contract", 403, '{"message":"blocked"}', { ...page, "content-type": "application/json" }],
    ["contract", 404, '{"type":"about:blank","status":404}', { "retry-after": "7" }],
    ["too-large", 530, new Uint8Array(17 * 1024 * 1024).fill(0x20), page],
  ]) {
    await assert.rejects(ask(reply(body, status, headers)).result, (error) => {
      assert.ok(error instanceof UnexpectedAnswerError && error.fromIntermediary, `${status}: ${error}`);
      assert.deepEqual([error.code, error.status, error.retryAfterMs], [code, status, 7000]);
      assert.match(error.message, new RegExp(`^somebody before the registry answered ${status}: the answer `));
      return true;
    });
  }
  for (const answer of [reply("<html>"), reply("", 307), reply("", 202), reply(problem((body) => (body.missingGates = [])), 422), reply(problem((body) => (body.status = 400)), 422)]) {
    await assert.rejects(ask(answer).result, (error) => error instanceof UnexpectedAnswerError && !error.fromIntermediary && !error.message.includes("somebody"));
  }
});

test("an honest decision is a value, and what a later version adds does not break it", async () => {
  const honest = await ask(reply(decision())).result;
  assert.equal(honest.ok, true);
  assert.equal(honest.value.outcome, "denied");
  assert.equal((await ask(reply(decision((body) => (body.later = { note: 1 })))).result).ok, true);
});

test("a refusal is a problem, not a throw", async () => {
  const refused = await ask(reply(problem(), 422)).result;
  assert.equal(refused.ok, false);
  assert.equal(refused.problem.code, "digest-mismatch");
});

test("a refusal of a later version is read: its code is a text, and its members are kept", async () => {
  const later = (body) => {
    body.code = body.errors[0].code = "quota-exceeded";
    Object.assign(body, { later: { version: 2, retry: [1] } });
    body.errors[0].hint = "x";
  };
  const { ok, problem: refused } = await ask(reply(problem(later), 422)).result;
  assert.equal(ok, false);
  assert.deepEqual([refused.code, refused.errors[0].code, refused.errors[0].hint], ["quota-exceeded", "quota-exceeded", "x"]);
  assert.deepEqual(refused.later, { version: 2, retry: [1] });
  assert.equal(PROBLEMS[refused.code], undefined, "the status tells how to treat it");
  assert.throws(() => (refused.later.version = 3), TypeError);
});

test("the token goes to the one address, in one header, and into no message", async () => {
  const token = "svcr_secret";
  const { sent, result } = ask(reply(decision()), { token });
  await result;
  assert.equal(sent[0].address, "https://registry.example/api/sdk/registry/acceptance-requests");
  assert.equal(sent[0].init.headers.authorization, `Bearer ${token}`);
  assert.equal(sent[0].init.redirect, "manual");
  assert.equal(sent[0].init.credentials, "omit");
  const failing = ask(() => { throw new TypeError("refused"); }, { token });
  await assert.rejects(failing.result, (error) => error.code === "unreachable" && !error.message.includes(token));
  for (const bad of ["a b", "a\nb", "", "é"]) {
    assert.throws(() => createRegistryClient({ baseUrl: "https://a.example", token: bad }), { code: "configuration" });
  }
});

test("plain http is for this machine alone", () => {
  for (const baseUrl of ["http://registry.example", "http://127.0.0.1.example", "ftp://localhost", "https://user@registry.example", "https://a.example?x", "registry.example", ""]) {
    assert.throws(() => createRegistryClient({ baseUrl }), (error) => error instanceof RegistryClientError && error.code === "configuration", baseUrl);
  }
  for (const baseUrl of ["http://localhost:8787", "http://127.0.0.1:1/", "http://[::1]:1", "https://registry.example/base/"]) createRegistryClient({ baseUrl });
});

test("a request is sent again when it did not get there or the registry asks to come back, and no more than four times", async () => {
  const busy = () => reply(problem((body) => Object.assign(body, { code: "overloaded", status: 503 })), 503, { "retry-after": "0" });
  const calm = ask((time) => (time < 3 ? busy() : reply(decision())));
  assert.equal((await calm.result).ok, true);
  assert.equal(calm.sent.length, 3);
  const never = ask(() => busy());
  assert.equal((await never.result).problem.code, "overloaded");
  assert.equal(never.sent.length, 4);
  const gone = ask((time) => { if (time === 1) throw new TypeError("refused"); return reply(decision()); });
  assert.equal((await gone.result).ok, true);
  const once = ask(() => reply(problem((body) => Object.assign(body, { code: "internal", status: 500 })), 500, { "retry-after": "0" }));
  assert.equal((await once.result).problem.code, "internal");
  assert.equal(once.sent.length, 1, "a 500 is not asked again");
});

test("a registry that says nothing is given up on", async () => {
  const silent = ask((_, init) => new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason))), { timeoutMs: 20 });
  await assert.rejects(silent.result, { code: "timeout" });
  assert.equal(silent.sent.length, 1);
});

test("a document that states an open claim is thrown too", async () => {
  const client = createRegistryClient({ baseUrl: "https://a.example", fetch: async () => reply({ outcome: { accepted: true } }) });
  await assert.rejects(client.contract(), FailOpenError);
  const described = createRegistryClient({ baseUrl: "https://a.example", fetch: async () => reply({ accepted: true }) });
  await assert.rejects(described.schema("submission"), FailOpenError);
  await assert.rejects(client.schema("../secret"), { code: "configuration" });
});
