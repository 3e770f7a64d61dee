import assert from "node:assert/strict";
import { test } from "node:test";
import { ARTIFACTS, CanonicalFormError, canonicalize, parseArtifact, parseStrictJson, toFile } from "../dist/index.js";
import { compareBytes, utf8Length } from "../dist/unicode.js";
import { bytes } from "./kit.mjs";

test("a member called __proto__ changes no prototype", () => {
  const parsed = parseStrictJson('{"__proto__": {"accepted": true, "polluted": 1}}');
  assert.equal(parsed.ok, true);
  assert.equal(Object.getPrototypeOf(parsed.value), Object.prototype);
  assert.equal(parsed.value.accepted, undefined);
  assert.equal({}.polluted, undefined);
  assert.deepEqual(Object.keys(parsed.value), ["__proto__"]);
});

test("names that every object has from birth are unknown members of an artifact", () => {
  const good = new TextDecoder().decode(bytes("submission", "valid"));
  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    const parsed = parseArtifact(good.replace("{", `{"${name}": {},`));
    assert.equal(parsed.ok, false, name);
    assert.deepEqual(parsed.findings.map(({ rule, pointer }) => [rule, pointer]), [["SVC-B012", `/${name}`]]);
  }
});

test("half a surrogate pair in a JavaScript text is not UTF-8", () => {
  const parsed = parseStrictJson('{"a": "\ud800"}');
  assert.deepEqual(parsed.findings.map((finding) => finding.rule), ["SVC-J002"]);
  const marked = parseStrictJson("\ufeff{}");
  assert.deepEqual(marked.findings.map((finding) => finding.rule), ["SVC-J002"]);
});

test("a hundred thousand brackets are refused without recursion", () => {
  for (const open of ["[", '{"a":']) {
    const parsed = parseStrictJson(`{"a":${open.repeat(100_000)}`);
    assert.deepEqual(parsed.findings.map((finding) => finding.rule), ["SVC-J005"]);
  }
});

test("no flood of faults hides an open claim", () => {
  const flood = Array.from({ length: 500 }, (_, at) => `"x${at}": 1`).join(",");
  const parsed = parseArtifact(`{${flood}, "kind": "svc-registry-submission", "accepted": true}`);
  assert.equal(parsed.problem, "posture-violation");
  assert.ok(parsed.findings.some(({ rule, pointer }) => rule === "SVC-B006" && pointer === "/accepted"));
});

test("findings carry the line and column of their place", () => {
  const parsed = parseArtifact('{\n  "kind": "svc-registry-submission",\n  "é🌦": 1, "accepted": true\n}');
  const claim = parsed.findings.find((finding) => finding.pointer === "/accepted");
  assert.deepEqual(claim.place, { line: 3, column: 24 });
  const unknown = parsed.findings.find((finding) => finding.rule === "SVC-B012");
  assert.deepEqual(unknown.place, { line: 3, column: 3 });
});

test("a document beyond its bound is refused before it is read", () => {
  for (const { kind, mostBytes } of ARTIFACTS) {
    const parsed = parseArtifact(" ".repeat(mostBytes + 1), kind);
    assert.deepEqual(parsed.findings.map((finding) => finding.rule), ["SVC-B016"], kind);
  }
});

test("members are ordered by UTF-16 units, files by UTF-8 bytes", () => {
  const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, 1: 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
  assert.equal(canonicalize(value), '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  assert.ok(compareBytes("\ufb33", "\u{1f600}") < 0);
  const texts = ["", "a", "é", "€", "\ufb33", "😀", "a😀", "aé", "\ud7ff", "\ue000"];
  for (const left of texts) {
    for (const right of texts) {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
      assert.equal(Math.sign(compareBytes(left, right)), expected, `${left} ${right}`);
    }
    assert.equal(utf8Length(left), Buffer.byteLength(left));
  }
});

test("what has no canonical form is told, with its place", () => {
  const cycle = { a: [] };
  cycle.a.push(cycle);
  for (const value of [1.5, Number.NaN, 2 ** 53, -0, undefined, () => 1, 1n, Symbol("a"), new Date(), new Map(), "\ud800", cycle, [, 1]]) {
    assert.throws(() => canonicalize({ b: value }), (error) => error instanceof CanonicalFormError && error.pointer.startsWith("/b"));
  }
  assert.equal(toFile({ b: [], a: {}, c: [1] }), '{\n  "a": {},\n  "b": [],\n  "c": [\n    1\n  ]\n}\n');
});
