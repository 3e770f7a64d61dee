// The conformance kit, as any implementation runs it.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ARTIFACTS,
  canonicalize,
  digestBytes,
  digestJson,
  edgeFault,
  GATES,
  parseArtifact,
  parseStrictJson,
  resolveSdkDistributionLifecycleStage,
  SDK_DISTRIBUTION_LIFECYCLE_CATALOG,
  verifyBundle,
} from "../dist/index.js";
import { FORMS } from "../dist/generated/forms.js";
import { isText } from "../dist/forms/form.js";
import { refusedAfter } from "../dist/strict-json/characters.js";
import { bytes, expectation, json, named, names, parentOf, valueOf } from "./kit.mjs";

/** Under the rules of the kit, under those of this version, and with several versions of a package. */
const isGood = (name) => name === "own-rules-valid" || name === "valid" || name.startsWith("valid-");

const decode = (base64) => new Uint8Array(Buffer.from(base64, "base64"));

function rows(findings) {
  const texts = findings.map(({ pointer, rule }) => JSON.stringify({ pointer, rule }));
  return [...new Set(texts)].sort();
}

test("every attack is refused exactly as the kit says", () => {
  let attacks = 0;
  for (const { kind, name } of ARTIFACTS) {
    for (const attack of names(name).filter((attack) => !isGood(attack))) {
      const place = `${name}/${attack}`;
      const expect = expectation(name, attack);
      const expected = rows(expect.findings);
      assert.equal(expect.valid, false, place);
      const parsed = parseArtifact(bytes(name, attack), kind);
      attacks += 1;
      if (expect.seenIn === "chain") {
        assert.equal(parsed.ok, true, place);
        const { artifact } = parseArtifact(parentOf(name, attack));
        assert.deepEqual(rows([edgeFault(parsed.artifact, artifact)]), expected, place);
        continue;
      }
      assert.equal(parsed.ok, false, place);
      assert.deepEqual(rows(parsed.findings), expected, place);
      assert.equal(parsed.problem, expect.problem, place);
    }
  }
  assert.ok(attacks > 340, `${attacks} attacks`);
});

test("every good document holds and has the digest that the kit says", () => {
  for (const { kind, name } of ARTIFACTS) {
    for (const good of names(name).filter(isGood)) {
      const place = `${name}/${good}`;
      const expect = expectation(name, good);
      const document = bytes(name, good);
      for (const parsed of [parseArtifact(document, kind), parseArtifact(document), parseArtifact(new TextDecoder().decode(document))]) {
        assert.equal(parsed.ok, true, place);
        assert.equal(parsed.digest, expect.digest, place);
        assert.deepEqual(rows(parsed.warnings), rows(expect.warnings), place);
        assert.deepEqual([parsed.artifact.accepted, parsed.artifact.signed, parsed.artifact.installable], [false, false, false]);
      }
    }
  }
});

test("every lifecycle case resolves to its stage and is never installable, as text and as value", () => {
  const reached = new Set();
  for (const name of names("lifecycle")) {
    const expect = expectation("lifecycle", name);
    const resolution = resolveSdkDistributionLifecycleStage(bytes("lifecycle", name));
    assert.equal(resolution.stage, expect.stage, name);
    assert.deepEqual(resolution.brokenRules, expect.brokenRules, name);
    assert.equal(resolution.installable, false, name);
    assert.equal(resolution.nextSteps.length > 0 && resolution.nextSteps.every((step) => step !== ""), true, name);
    assert.deepEqual(resolution.missingGates, expect.missingGates, name);
    assert.equal(resolution.reviewed, expect.reviewed, name);
    assert.deepEqual(resolveSdkDistributionLifecycleStage(valueOf("lifecycle", name)), resolution, name);
    reached.add(resolution.stage);
  }
  const stages = SDK_DISTRIBUTION_LIFECYCLE_CATALOG.stages.map((stage) => stage.id);
  assert.deepEqual([...reached].sort(), stages.slice(0, -1).sort());
});

test("strict JSON is refused for the rules that the vectors name", () => {
  const vectors = json("vectors", "strict-json.json");
  for (const { name, document, rules } of vectors) {
    const parsed = parseStrictJson(decode(document));
    assert.equal(parsed.ok, rules.length === 0, name);
    const found = parsed.ok ? [] : [...new Set(parsed.findings.map((finding) => finding.rule))].sort();
    assert.deepEqual(found, rules, name);
  }
  assert.ok(vectors.length > 70);
  assert.ok(vectors.filter(({ name }) => name.startsWith("U+")).length > 200);
});

test("the reader refuses exactly the characters that the kit lists, at every end of every range", () => {
  const { refused, allowedAfter } = json("vectors", "refused-characters.json");
  const isIn = (ranges, point) => ranges.some(({ first, last }) => first <= point && point <= last);
  const around = ({ first, last }) => [first - 1, first, last, last + 1].filter((point) => point >= 0 && point <= 0x10ffff);
  const points = [...refused, ...allowedAfter.flatMap(({ after }) => after)].flatMap(around);
  for (const point of points) {
    assert.equal(refusedAfter(undefined, point) !== undefined, isIn(refused, point), point.toString(16));
    for (const { characters, after } of allowedAfter) {
      for (const character of characters.flatMap(({ first, last }) => [first, last])) {
        const place = `${point.toString(16)} ${character.toString(16)}`;
        assert.equal(refusedAfter(point, character) === undefined, isIn(after, point), place);
      }
    }
  }
});

test("canonical forms and digests are those of the vectors", () => {
  for (const { name, document, canonical, digest, size } of json("vectors", "canonical-form.json")) {
    const parsed = parseStrictJson(document);
    assert.equal(parsed.ok, true, name);
    assert.equal(canonicalize(parsed.value), canonical, name);
    assert.deepEqual([digestJson(parsed.value), Buffer.byteLength(canonicalize(parsed.value))], [digest, size], name);
  }
  for (const { name, bytes, digest } of json("vectors", "digests.json")) {
    assert.equal(digestBytes(decode(bytes)), digest, name);
  }
});

test("every form takes exactly the texts that the vectors say", () => {
  const { texts, accepted } = json("vectors", "forms.json");
  assert.deepEqual(Object.keys(accepted).sort(), Object.keys(FORMS).sort());
  for (const [form, positions] of Object.entries(accepted)) {
    const expected = new Set(positions);
    texts.forEach((text, index) => {
      const shown = JSON.stringify(text.slice(0, 80));
      assert.equal(isText(form, text), expected.has(index), `${form}: ${shown} of ${text.length}`);
    });
  }
});

test("every bundle breaks where the kit says", () => {
  const vectors = json("vectors", "bundles.json");
  for (const { name, files, valid, brokenEdge, findings } of vectors) {
    const given = Object.fromEntries(Object.entries(files).map(([file, path]) => [file, named(path)]));
    const bundle = verifyBundle(given);
    assert.equal(bundle.ok, valid, name);
    assert.deepEqual((bundle.ok ? undefined : bundle.brokenEdge) ?? null, brokenEdge, name);
    const found = bundle.ok ? [] : bundle.findings.map(({ file, pointer, rule }) => JSON.stringify({ file, pointer, rule }));
    assert.deepEqual([...new Set(found)].sort(), findings.map((row) => JSON.stringify(row)), name);
  }
  assert.ok(vectors.filter(({ brokenEdge }) => brokenEdge !== null).length > 8);
});
