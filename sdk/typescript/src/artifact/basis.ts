/** What the members of an artifact about one package follow from. */

import type { Descriptor, Owner, PackageArtifact, ReviewReport, Ruleset, Visibility } from "../parts.js";
import type { PackageDocument } from "./kinds.js";

/** What one artifact hands on to the next, its report, and the digests of both. */
export interface Basis {
  readonly owner: Owner;
  readonly packageArtifact: PackageArtifact;
  readonly ruleset: Ruleset;
  readonly visibility: Visibility;
  readonly artifactDigests: readonly Descriptor[];
  readonly reviewReport?: ReviewReport;
}

/** The basis of an artifact. */
export function basisOf(artifact: PackageDocument): Basis {
  const { owner, packageArtifact, ruleset, visibility, artifactDigests } = artifact;
  const basis = { owner, packageArtifact, ruleset, visibility, artifactDigests };
  return "reviewReport" in artifact ? { ...basis, reviewReport: artifact.reviewReport } : basis;
}
