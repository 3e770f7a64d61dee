// Large documents: the asynchronous readers give the same results, and let the event loop run.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArtifact, parseArtifactAsync, toFile, verifyBundle, verifyBundleAsync } from "../dist/index.js";
import { reseal } from "../scripts/differential/reseal.mjs";
import { bytes, valueOf } from "./kit.mjs";

/** An index with this many versions of one package. */
function indexOf(count) {
  const index = valueOf("index", "own-rules-valid");
  const [first] = index.entries;
  index.entries = Array.from({ length: count }, (_, at) => {
    const entry = structuredClone(first);
    const version = `1.${1000 + at}.0`;
    entry.submission.package.version = version;
    entry.submission.packageArtifact.manifest.version = version;
    return entry;
  });
  index.derivedFrom = index.entries.map(({ submissionDigest }) => ({ digest: submissionDigest, kind: "svc-registry-submission" }));
  reseal(index);
  return toFile(index);
}

/** The longest time that a timer had to wait while something was awaited. */
async function largestGap(work) {
  let [last, gap] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    [last, gap] = [now, Math.max(gap, now - last)];
  }, 1);
  const result = await work();
  clearInterval(timer);
  return { result, gap: Math.max(gap, performance.now() - last) };
}

test("a large index is read in turns, with the same result", async () => {
  const text = indexOf(150);
  const start = performance.now();
  const whole = parseArtifact(text);
  const took = performance.now() - start;
  assert.equal(whole.ok, true, JSON.stringify(whole.findings?.slice(0, 3)));
  const { result, gap } = await largestGap(() => parseArtifactAsync(text, "svc-registry-index"));
  assert.deepEqual(result, whole);
  // Alone on a machine a turn takes some ten milliseconds; the bound leaves room for a busy one.
  assert.ok(gap < took / 4, `one turn took ${gap} of ${took} ms`);
});

test("a refusal is the same in turns", async () => {
  for (const document of ["", "{}", "[1]", indexOf(3).replace('"signed": false', '"signed": true'), indexOf(3).replace("1.1001.0", "1.1002.0")]) {
    const whole = parseArtifact(document);
    assert.equal(whole.ok, false);
    assert.deepEqual(await parseArtifactAsync(document), whole);
  }
});

test("a bundle is checked in turns, with the same result", async () => {
  const names = ["submission", "index", "acceptance-request", "publisher-verification", "review-evidence", "signing-request", "install-policy"];
  const files = Object.fromEntries(names.map((name) => [`svc-registry-${name}.json`, bytes(name, "own-rules-valid")]));
  assert.deepEqual(await verifyBundleAsync(files), verifyBundle(files));
  delete files["svc-registry-index.json"];
  assert.deepEqual(await verifyBundleAsync(files), verifyBundle(files));
});
