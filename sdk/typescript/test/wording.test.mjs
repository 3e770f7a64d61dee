import assert from "node:assert/strict";
import { test } from "node:test";
import { ARTIFACTS, CLOSED_OUTCOME, describePackage, parseArtifact, resolveSdkDistributionLifecycleStage } from "../dist/index.js";
import { bytes, names, valueOf } from "./kit.mjs";

const resolved = (name) => resolveSdkDistributionLifecycleStage(valueOf("lifecycle", name));
const parsed = (name) => parseArtifact(bytes(name, "own-rules-valid"));

test("nothing that this package did not make is described", () => {
  const resolution = resolved("complete-entry");
  const submission = parsed("submission");
  const forged = [
    ...[{}, null, undefined, "collection-entry", 1, [], valueOf("lifecycle", "complete-entry"), submission.artifact],
    ...[{ ...resolution }, { ...submission }, Object.create(resolution), structuredClone(resolution), JSON.parse(JSON.stringify(resolution))],
    ...[{ ...submission.packages[0] }, new Proxy(resolution, {}), parseArtifact("{}")],
  ];
  for (const value of forged) assert.throws(() => describePackage(value), TypeError);
});

test("what was made cannot be changed afterwards", () => {
  const resolution = resolved("manifest-alone");
  const submission = parsed("submission");
  assert.throws(() => (resolution.stage = "collection-entry"), TypeError);
  assert.throws(() => resolution.missingGates.pop(), TypeError);
  assert.throws(() => resolution.nextSteps.push("done"), TypeError);
  assert.throws(() => (submission.packages[0].stage = "collection-entry"), TypeError);
  assert.throws(() => submission.packages.push({}), TypeError);
  assert.throws(() => submission.packages[0].blockers.pop(), TypeError);
  assert.equal(describePackage(resolution).noun, "showcase preview");
});

test("an external package is a validated artifact from the review report on, and never more", () => {
  const nouns = { blueprint: "blueprint", "showcase-preview": "showcase preview", "review-report": "validated artifact", "collection-entry": "validated artifact" };
  const seen = new Set();
  for (const name of names("lifecycle")) {
    const resolution = resolved(name);
    const described = describePackage(resolution);
    seen.add(described.noun);
    const blocked = resolution.verdict === "blocked" && nouns[resolution.stage] === "validated artifact" ? " (review blocked)" : "";
    assert.equal(described.noun, `${nouns[resolution.stage]}${blocked}`, name);
    assert.deepEqual([described.stage, described.label], [resolution.stage, resolution.label], name);
    assert.doesNotMatch(described.sentence, /\byours?\b|\bauthor\b|`svc/, name);
    assert.equal(described.resolution, resolution);
    assert.equal(described.outcome, CLOSED_OUTCOME);
    assert.match(described.sentence, /not accepted, not signed, not installable/);
    assert.doesNotMatch(described.sentence.replace(CLOSED_OUTCOME, ""), /\b(install|marketplace|approved|verified|trusted|safe)/i);
  }
  assert.deepEqual([...seen].sort(), ["blueprint", "showcase preview", "validated artifact", "validated artifact (review blocked)"]);
  assert.equal(describePackage(resolved("author-blocked")).sentence.startsWith("Validated artifact (review blocked). Review report: "), true);
});

test("a checked document is described by its package, and an index by each of its own", () => {
  for (const { name, kind } of ARTIFACTS.filter(({ kind }) => kind !== "svc-registry-index")) {
    const checked = parsed(name);
    const { noun, stage } = describePackage(checked);
    const hasReport = "reviewReport" in checked.artifact;
    assert.deepEqual([noun, stage], hasReport ? ["validated artifact", "review-report"] : ["showcase preview", "showcase-preview"], kind);
  }
  const index = parsed("index");
  assert.ok(index.packages.length > 1);
  assert.throws(() => describePackage(index), /several packages/);
  for (const one of index.packages) assert.equal(describePackage(one).resolution.stage, "collection-entry");
});
