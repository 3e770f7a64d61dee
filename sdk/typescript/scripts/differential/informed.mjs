// Changes by somebody who knows the format: one member, and every digest made to fit again.

import { reseal } from "./reseal.mjs";

const ZERO = `sha256:${"0".repeat(64)}`;

const CHANGES = [
  () => {},
  (it) => (it.ruleset.version = "9.9.9"),
  (it) => (it.ruleset.digest = ZERO),
  (it) => (it.owner.name = "Mallory"),
  (it) => (it.owner.id = "mallory"),
  (it) => (it.visibility = "public"),
  (it) => (it.package.version = "9.9.9"),
  (it) => (it.derivedFrom[0].digest = ZERO),
  (it) => it.derivedFrom.push({ digest: ZERO, kind: "svc-registry-submission" }),
  (it) => it.derivedFrom.reverse(),
  (it) => it.artifactDigests.reverse(),
  (it) => it.artifactDigests.pop(),
  (it) => (it.artifactDigests[0].mediaType = "text/plain"),
  (it) => it.packageArtifact.files.reverse(),
  (it) => it.packageArtifact.files.push(it.packageArtifact.files[0]),
  (it) => (it.packageArtifact.files[0].mediaType = "text/x-other"),
  (it) => (it.packageArtifact.files[0].path = `${it.packageArtifact.files[0].path}.JS`),
  (it) => (it.packageArtifact.manifest.summary = "Something else."),
  (it) => (it.packageArtifact.manifest.repository = { url: "https://code.example.org/a/b.git/" }),
  (it) => delete it.packageArtifact.manifest.repository,
  (it) => (it.packageArtifact.manifest._meta = { a: "b", toString: "c" }),
  (it) => (it.packageArtifact.manifest.license = "GPL-2.0-only WITH Classpath-exception-2.0 OR (MIT AND Apache-2.0+)"),
  (it) => (it.packageArtifact.manifest.id = "dev.acme.other"),
  (it) => (it.reviewReport.counts.blockers = 1),
  (it) => (it.reviewReport.verdict = "blocked"),
  (it) => (it.stage = "blueprint"),
  (it) => (it.nextGate = "renderer-isolation"),
  (it) => (it.proofs[0].location = "_svc-publisher.mallory.example"),
  (it) => (it.publisher.id = "mallory"),
  (it) => (it.storage.key = `reviews/sha256/00/${"0".repeat(64)}`),
  (it) => (it.statement.predicate.owner.name = "Mallory"),
  (it) => (it.envelope.payload = "e30="),
  (it) => (it.policy.permissions = []),
  (it) => (it.entries[0].scope.id = "mallory"),
  (it) => {
    it.entries.reverse();
    it.derivedFrom.reverse();
  },
  (it) => {
    it.entries.unshift(structuredClone(it.entries[0]));
    it.derivedFrom.unshift(it.derivedFrom[0]);
  },
  (it) => (it.entries[0].submission.owner.name = "Mallory"),
  (it) => {
    it.entries.pop();
    it.derivedFrom.pop();
  },
];

/** The document with one such change, of those that its kind has a place for. */
export function informed(document, random) {
  for (;;) {
    const copy = structuredClone(document);
    const subject = random.chance(30) && Array.isArray(copy.entries) ? copy.entries[0].submission : copy;
    try {
      random.pick(CHANGES)(subject);
    } catch {
      continue;
    }
    reseal(copy);
    return copy;
  }
}
