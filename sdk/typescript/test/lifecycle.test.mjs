import assert from "node:assert/strict";
import { test } from "node:test";
import { CLOSED_OUTCOME, describePackage, GATES, resolveSdkDistributionLifecycleStage } from "../dist/index.js";
import { json, names } from "./kit.mjs";

const complete = () => json("lifecycle", "complete-entry", "entry.json");

test("inherited, computed and throwing members are no evidence", () => {
  const inherited = Object.create(complete());
  const computed = Object.defineProperty({}, "submission", { get: () => complete().submission });
  const throwing = new Proxy({}, { getOwnPropertyDescriptor: () => { throw new Error("no"); } });
  for (const entry of [inherited, computed, throwing, null, undefined, 1, "x", [], [complete()], () => 1, new Map(Object.entries(complete()))]) {
    assert.equal(resolveSdkDistributionLifecycleStage(entry).stage, "blueprint");
  }
});

test("a list with a hole is not a list of blockers", () => {
  const entry = complete();
  entry.submission.blockers = [, ...entry.submission.blockers];
  assert.equal(resolveSdkDistributionLifecycleStage(entry).stage, "blueprint");
});

test("an external package is never called more than a validated artifact", () => {
  const nouns = new Set();
  for (const name of names("lifecycle")) {
    const described = describePackage(json("lifecycle", name, "entry.json"));
    nouns.add(described.noun);
    assert.equal(described.outcome, CLOSED_OUTCOME);
    assert.match(described.sentence, /not accepted, not signed, not installable/);
    assert.doesNotMatch(described.sentence.replace(CLOSED_OUTCOME, ""), /\b(install|marketplace|approved|verified|trusted|safe)/i);
  }
  assert.deepEqual([...nouns].sort(), ["blueprint", "showcase preview", "validated artifact"]);
});

test("the gates are six, and five of them have no word for done", () => {
  assert.deepEqual(GATES.map(({ gate, status }) => [gate, status]), [
    ["artifact-hash", "evidenced"],
    ["publisher-verification", "unverified"],
    ["review-storage", "unstored"],
    ["artifact-signing", "unsigned"],
    ["host-install-policy", "not-applied"],
    ["renderer-isolation", "not-isolated"],
  ]);
});
