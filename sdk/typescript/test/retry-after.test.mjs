// How long an answer asks to wait, in every form that the header has, and in some that it has not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistryClient } from "../dist/index.js";
import { retryAfterOf } from "../dist/client/retry-after.js";
import { decision, problem, reply, request } from "./answers.mjs";

const NOW = Date.UTC(2026, 10, 15, 6, 0, 0);
const asked = (...values) => retryAfterOf({ headers: new Headers(values.map((value) => ["retry-after", value])) }, NOW);

test("what is no wait asks for nothing", () => {
  assert.equal(asked(), undefined);
  const none = ["", " ", ",", "soon", "-5", "+5", "1.5", "1e3", "0x10", "5 s", "\u0660", "Infinity", "NaN"];
  const noDates = ["2065-10-21T07:28:00Z", "21 Oct 2065", "Wed, 21 Oct 2065", "Wed, 21 Foo 2065 07:28:00 GMT", "Wed, 42 Oct 2065 07:28:00 GMT", "Wed, 21 Oct 2065 77:28:00 GMT", "Wed, 21 Oct 2065 07:28:00", "Wed, 21 Oct 2065 07:28:00 +0100", "wed, 21 oct 2065 07:28:00 gmt"];
  for (const value of [...none, ...noDates]) assert.equal(retryAfterOf({ headers: { get: () => value } }, NOW), undefined, value);
});

test("seconds are kept, however many", () => {
  for (const [value, wait] of [["0", 0], ["7", 7000], ["007", 7000], ["1000000", 1e9], [" 3\t", 3000]]) assert.equal(asked(value), wait, value);
  for (const value of ["9007199254740993", "9".repeat(23), "9".repeat(4000)]) assert.equal(asked(value), Number.MAX_SAFE_INTEGER, value);
});

test("a date is a wait until then, in all three forms, and none when it has passed", () => {
  for (const value of ["Sun, 15 Nov 2026 06:00:30 GMT", "Sunday, 15-Nov-26 06:00:30 GMT", "Sun Nov 15 06:00:30 2026"]) assert.equal(asked(value), 30_000, value);
  assert.equal(asked("Wed, 21 Oct 2065 07:28:00 GMT"), Date.UTC(2065, 9, 21, 7, 28) - NOW);
  assert.equal(asked("Tue Dec  1 06:00:00 2026"), Date.UTC(2026, 11, 1, 6) - NOW);
  for (const value of ["Wed, 21 Oct 2015 07:28:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 15 Nov 2026 06:00:00 GMT"]) assert.equal(asked(value), 0, value);
});

test("of two headers the longer wait counts, and one that cannot be read does not", () => {
  const date = "Sun, 15 Nov 2026 06:00:30 GMT";
  for (const [values, wait] of [
    [["1", "5"], 5000],
    [["5", "1"], 5000],
    [[date, "5"], 30_000],
    [["40", date], 40_000],
    [[date, "Sun, 15 Nov 2026 06:00:20 GMT"], 30_000],
    [["soon", "5"], 5000],
    [["5", "-1"], 5000],
    [["soon", "never"], undefined],
  ]) assert.equal(asked(...values), wait, values.join());
});

test("a client waits until a date too, and not for longer than a minute", async () => {
  const waits = [];
  const ask = (value) => {
    let time = 0;
    const busy = () => reply(problem((body) => Object.assign(body, { code: "overloaded", status: 503 })), 503, { "retry-after": value });
    const fetch = async () => ((time += 1) === 1 ? busy() : reply(decision()));
    return createRegistryClient({ baseUrl: "https://registry.example", fetch, onRetry: ({ reason, status, waitMs }) => waits.push([reason, status, waitMs]) }).evaluateAcceptanceRequest(request);
  };
  assert.equal((await ask("Wed, 21 Oct 2015 07:28:00 GMT")).ok, true);
  assert.deepEqual(waits, [["asked-to-wait", 503, 0]]);
  for (const value of ["9".repeat(23), "Wed, 21 Oct 2065 07:28:00 GMT"]) assert.equal((await ask(value)).problem.code, "overloaded", value);
  assert.equal(waits.length, 1);
});
