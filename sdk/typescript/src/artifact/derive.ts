/** Derives a child from its parent again, to compare it with the one at hand. */

import { GATE_STATUSES } from "../closed.js";
import { SHAPES } from "../generated/shapes.js";
import { type Basis, basisOf } from "./basis.js";
import { bodyOf } from "./body.js";
import { descriptorsOf, documentDigest } from "./digests.js";
import { type ArtifactKind, type PackageDocument, rowOf } from "./kinds.js";

/** The child of this kind that a parent gives. */
export function derive(kind: Exclude<ArtifactKind, "svc-registry-index">, parent: PackageDocument): { readonly [member: string]: unknown } {
  const row = rowOf(kind);
  const { owner, packageArtifact, ruleset, visibility, reviewReport } = basisOf(parent);
  const report = embedsReport(row.name) ? reviewReport : undefined;
  const artifactDigests = descriptorsOf(packageArtifact, report);
  const basis: Basis = {
    owner,
    packageArtifact,
    ruleset,
    visibility,
    artifactDigests,
    ...(report === undefined ? {} : { reviewReport: report }),
  };
  const { id, version } = packageArtifact.manifest;
  const child = {
    ...basis,
    ...bodyOf(kind, basis),
    $schema: row.schema,
    accepted: false,
    derivedFrom: [{ digest: parent.documentDigest, kind: parent.kind }],
    gateStatuses: GATE_STATUSES,
    installable: false,
    kind,
    package: { id, version },
    schemaVersion: "1.0",
    signed: false,
    status: row.status,
  };
  return { ...child, documentDigest: documentDigest(child) };
}

function embedsReport(name: string): boolean {
  const shape = SHAPES[name];
  return shape !== undefined && "members" in shape && Object.hasOwn(shape.members, "reviewReport");
}
