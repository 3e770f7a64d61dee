// The words of a catalog, from the SDK alone. Those of `facts` are the words of `svc lifecycle`.

import { DEPTH_MEANINGS, describePackage, parseArtifact, SDK_DISTRIBUTION_LIFECYCLE_CATALOG } from "@svc/registry-sdk";

const LABELS = new Map(SDK_DISTRIBUTION_LIFECYCLE_CATALOG.stages.map(({ id, label }) => [id, label]));

/** The entries of an index with their words, or the findings that say why there are none. */
export function readCatalog(document) {
  const parsed = parseArtifact(document, "svc-registry-index");
  if (!parsed.ok) return { ok: false, findings: parsed.findings };
  return { ok: true, entries: parsed.artifact.entries.map((entry, at) => entryOf(entry, parsed.packages[at])) };
}

/** The lines on the stage of an entry, as `svc lifecycle` prints them. */
export function linesOf({ facts }) {
  return facts.map(([word, text]) => `${word.padEnd(10)}${text}\n`).join("");
}

function entryOf(entry, reviewed) {
  const { manifest } = entry.submission.packageArtifact;
  const { noun, sentence, resolution } = describePackage(reviewed);
  return {
    name: manifest.name,
    summary: manifest.summary,
    package: `${manifest.id} ${manifest.version}`,
    listedBy: `${entry.submission.owner.name} (${entry.submission.owner.id})`,
    noun,
    sentence,
    stage: resolution.stage,
    facts: [
      ["Stage", `${resolution.label}  ${resolution.meaning}`],
      ["Reviewed", `${resolution.reviewed}: ${DEPTH_MEANINGS[resolution.reviewed]}`],
      ["Verdict", resolution.verdict],
      ["Next", LABELS.get(resolution.nextStage)],
      ...resolution.nextSteps.map((step) => ["Do", step]),
      ["Gates", `missing: ${resolution.missingGates.join(", ")}`],
      ["Outcome", "installable no"],
    ],
  };
}
