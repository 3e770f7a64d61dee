import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistryClient, FailOpenError, RegistryClientError, UnexpectedAnswerError } from "../dist/index.js";
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
  "accepted missing": (body) => delete body.accepted,
  "a flag deep inside": (body) => (body.later = { inner: [{ installable: true }] }),
  "gate cleared": (body) => (body.gateStatuses["artifact-signing"] = "signed"),
  "gate dropped": (body) => delete body.gateStatuses["artifact-signing"],
  "gate added": (body) => (body.gateStatuses["self-review"] = "evidenced"),
  "no gates": (body) => delete body.gateStatuses,
  "missing gates emptied": (body) => (body.missingGates = []),
  "missing gate dropped": (body) => (body.missingGates = body.missingGates.slice(1)),
  "missing gates gone": (body) => delete body.missingGates,
};

test("every open claim in an answer is thrown, in decisions and problems alike", async () => {
  for (const [name, change] of Object.entries(OPEN_CLAIMS)) {
    await assert.rejects(ask(reply(decision(change))).result, FailOpenError, name);
    await assert.rejects(ask(reply(problem(change), 422)).result, FailOpenError, name);
  }
  for (const outcome of ["accepted", "Denied", "", null, undefined, true, ["denied"]]) {
    await assert.rejects(ask(reply(decision((body) => (body.outcome = outcome)))).result, FailOpenError, `${outcome}`);
  }
});

const LIES = {
  "not JSON": () => reply("<html>yes</html>"),
  "HTML with status 200": () => reply("<html></html>", 200, { "content-type": "text/html" }),
  "nothing": () => reply(""),
  "a member twice": () => reply(JSON.stringify(decision()).replace("{", '{"kind":"svc-registry-decision",')),
  "a second document": () => reply(`${JSON.stringify(decision())}{}`),
  "not UTF-8": () => reply(Uint8Array.of(0x7b, 0xff, 0x7d)),
  "another operation": () => reply(decision((body) => (body.operation = "validate-index"))),
  "another document": () => reply(decision((body) => (body.artifact.digest = `sha256:${"0".repeat(64)}`))),
  "another kind": () => reply(decision((body) => (body.artifact.kind = "svc-registry-index"))),
  "an id that does not recompute": () => reply({ ...decision(), nextGate: "review-storage" }),
  "a digest check that fails": () => reply(decision((body) => (body.digestCheck.matches = false))),
  "the last stage": () => reply(decision((body) => (body.stage = "signed-package"))),
  "a problem with status 200": () => reply(problem()),
  "a decision with status 422": () => reply(decision(), 422),
  "a problem of another status": () => reply(problem((body) => (body.status = 400)), 422),
  "an unknown problem code": () => reply(problem((body) => (body.code = "fine")), 422),
  "a problem as plain text": () => reply("no", 500, { "content-type": "text/plain" }),
  "a redirect": () => reply("", 307, { location: "https://elsewhere.example/" }),
  "an endless answer": () => reply(new Uint8Array(17 * 1024 * 1024).fill(0x20)),
};

test("an answer that no registry gives is thrown, and nothing of it is used", async () => {
  for (const [name, lie] of Object.entries(LIES)) {
    await assert.rejects(
      ask(lie()).result,
      (error) => error instanceof UnexpectedAnswerError || error instanceof FailOpenError,
      name,
    );
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
  await assert.rejects(client.schema("../secret"), { code: "configuration" });
});
