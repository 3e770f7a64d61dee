import assert from "node:assert/strict";
import { test } from "node:test";
import { ARTIFACTS, digestPackageArtifact, parseArtifact, verifyBundle } from "../dist/index.js";
import { bytes, exampleBundle } from "./kit.mjs";

const bundle = () => exampleBundle(ARTIFACTS);

test("a bundle with a file missing names it", () => {
  for (const { file } of ARTIFACTS) {
    const { [file]: _, ...files } = bundle();
    const checked = verifyBundle(files);
    assert.equal(checked.ok, false);
    assert.deepEqual(checked.findings.map(({ rule, file }) => [rule, file]), [["SVC-B011", file]]);
    assert.equal(checked.brokenEdge, undefined);
  }
  assert.equal(verifyBundle(Object.create(bundle())).ok, false, "inherited files are no files");
});

test("the first broken edge is named", () => {
  const files = { ...bundle(), "svc-registry-acceptance-request.json": bytes("acceptance-request", "owner-drift-resealed") };
  const checked = verifyBundle(files);
  assert.equal(checked.ok, false);
  assert.deepEqual(checked.brokenEdge, { parent: "svc-registry-submission", child: "svc-registry-acceptance-request" });
  assert.deepEqual(checked.findings.map(({ rule, pointer }) => [rule, pointer]), [["SVC-B010", "/owner"]]);
  assert.equal(checked.problem, "binding-mismatch");
});

test("a later edge breaks when only it does", () => {
  const files = { ...bundle(), "svc-registry-install-policy.json": bytes("install-policy", "parent-digest-broken") };
  const { brokenEdge, findings } = verifyBundle(files);
  assert.deepEqual(brokenEdge, { parent: "svc-registry-signing-request", child: "svc-registry-install-policy" });
  assert.equal(findings[0].rule, "SVC-B005");
});

test("the example bundle is valid, and nothing in it is accepted", () => {
  const ofTheKit = verifyBundle(bundle());
  assert.equal(ofTheKit.ok, true);
  assert.deepEqual(ofTheKit.warnings.map(({ rule, pointer }) => [rule, pointer]), ARTIFACTS.map(() => ["SVC-B017", "/ruleset"]));
  const checked = verifyBundle(exampleBundle(ARTIFACTS, "own-rules-valid"));
  assert.equal(checked.ok, true);
  assert.deepEqual(checked.warnings, []);
  assert.equal(checked.reviewed, "as-claimed");
  assert.deepEqual(checked.packages.map(({ stage }) => stage), checked.artifacts["svc-registry-index"].entries.map(() => "collection-entry"));
  for (const artifact of Object.values(checked.artifacts)) assert.equal(artifact.accepted, false);
  const submission = checked.artifacts["svc-registry-submission"];
  const declared = submission.artifactDigests.find(({ name }) => name === "package-artifact").digest;
  assert.equal(digestPackageArtifact(submission.packageArtifact), declared);
});

test("another layout is a warning, not a refusal", () => {
  const text = JSON.stringify(JSON.parse(new TextDecoder().decode(bytes("submission", "own-rules-valid"))));
  const parsed = parseArtifact(text);
  assert.equal(parsed.ok, true);
  assert.deepEqual(parsed.warnings.map(({ rule }) => rule), ["SVC-B009"]);
  assert.equal(parsed.reviewed, "as-claimed");
});
