// What an error quotes of the other side: nothing in it moves, hides or turns the text around it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CanonicalFormError, canonicalize, ContractError, createRegistryClient, FailOpenError, RegistryClientError, UnexpectedAnswerError, verifyWebhook } from "../dist/index.js";
import { REFUSED_CHARACTERS } from "../dist/generated/refused-characters.js";
import { printable } from "../dist/printable.js";
import { problem, reply, request } from "./answers.mjs";
import { collect, followerOf, NOW, pieces, registryOf, SECRET, signed } from "./events.mjs";

const TITLE = "\u001b]0;owned\u0007";
const HOSTILE = [TITLE, "\u202eabc", "a\nb", "\u009b2J", "\ud800", "\u200b", "\u{e0041}"];
/** Written by hand, so that the check is not held against itself. */
const MOVES = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]/;

const { log } = registryOf(1);
const asJson = (value) => JSON.stringify(value);

/** What is thrown, with everything in it that people are shown. */
async function shownBy(work) {
  try {
    await work();
  } catch (error) {
    const { message, stack, pointer = "", pointers = [], findings = [] } = error;
    return { error, shown: [message, stack.split("\n    at ")[0].replace(/^\w+(?: \[\w+\])?: /, ""), pointer, ...pointers, ...findings.flatMap((each) => [each.message, each.pointer])] };
  }
  return assert.fail("nothing was thrown");
}

test("no error shows a name of a hostile document as it is", async () => {
  const ask = (answer) => () => createRegistryClient({ baseUrl: "https://registry.example", fetch: async () => answer() }).evaluateAcceptanceRequest(request);
  for (const name of HOSTILE) {
    const open = asJson({ [name]: { accepted: true } });
    for (const [kind, work] of [
      [FailOpenError, ask(() => reply(open))],
      [FailOpenError, () => verifyWebhook({ ...signed(open), secrets: [SECRET], now: NOW })],
      [FailOpenError, () => collect(followerOf(log).stream(pieces(`id: 0\nevent: registry.decision.denied\ndata: ${open}\n\n`)))],
      [FailOpenError, () => collect(followerOf(log).stream(reply(open, 503)))],
      [UnexpectedAnswerError, ask(() => reply(`{${asJson(name)}:1,${asJson(name)}:2}`))],
      [UnexpectedAnswerError, ask(() => reply(asJson({ detail: name, title: name }), 503))],
      [UnexpectedAnswerError, ask(() => reply(`<h1>${name.replace("\ud800", "")}</h1>`, 520, { "content-type": "text/html" }))],
      [RegistryClientError, () => collect(followerOf(log).stream(reply(asJson({ [name]: name }), 404)))],
      [RegistryClientError, ask(() => reply(asJson(problem((body) => (body.gateStatuses[name] = "unevidenced"))), 422))],
      [ContractError, ask(() => reply("{}", 422, { "content-type": `text/x-${encodeURIComponent(name.toWellFormed?.() ?? "x")}` }))],
      [CanonicalFormError, () => canonicalize({ [name]: 0.5 })],
    ]) {
      const { error, shown } = await shownBy(work);
      assert.ok(error instanceof kind, `${kind.name}: ${error.stack}`);
      for (const text of shown) assert.ok(!MOVES.test(text), `${error.name}: ${asJson(text)}`);
    }
  }
  const named = problem((body) => Object.assign(body, { code: "unauthenticated", status: 401, errors: [], requestId: "a\nb" }));
  const refused = await shownBy(() => collect(followerOf(log).stream(reply(named, 401))));
  assert.ok(!MOVES.test(refused.error.requestId), asJson(refused.error.requestId));
  const { error } = await shownBy(ask(() => reply(asJson({ [TITLE]: { accepted: true } }))));
  assert.deepEqual(error.pointers, ["/\\u{1b}]0;owned\\u{7}/accepted"]);
});

test("a message names some of a thousand places, and the error has all of them", () => {
  const error = new FailOpenError(Array.from({ length: 1000 }, (_, at) => `/${at}/accepted`));
  assert.equal(error.pointers.length, 1000);
  assert.ok(error.message.length < 1000 && error.message.endsWith("and at 980 other places"), error.message);
});

test("every character that no document may hold is spelled out, and plain text stays", () => {
  for (const { first, last } of REFUSED_CHARACTERS) {
    for (let point = first; point <= Math.min(last, first + 5000); point += 1) assert.equal(printable(`a${String.fromCodePoint(point)}`), `a\\u{${point.toString(16)}}`);
  }
  for (const plain of ["", "/data/records/0/accepted", "ünïcode ✓ 日本 `x` \\"]) assert.equal(printable(plain), plain);
});
