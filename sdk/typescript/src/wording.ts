/** How an external package is called: a validated artifact or a showcase preview, never more. */

import type { PackageDocument } from "./artifact/kinds.js";
import type { ParsedArtifact } from "./artifact/parse.js";
import type { ReviewedPackage } from "./artifact/reviewed.js";
import { ALL_GATES } from "./closed.js";
import { frozen } from "./frozen.js";
import type { ClaimedDepth, ReachedStage } from "./generated/artifacts.js";
import { type LifecycleResolution, resolveReviewed } from "./lifecycle.js";
import { isMade } from "./made.js";
import { DEPTH_MEANINGS } from "./review-depth.js";

/** The words for an external package; a draft below them is a blueprint. A blocked review is named with the package. */
export type PackageNoun = "validated artifact" | "validated artifact (review blocked)" | "showcase preview" | "blueprint";

/** What can be described: where an entry stands, a checked document about one package, or a package of any checked document. */
export type Describable = LifecycleResolution | ParsedArtifact<PackageDocument> | ReviewedPackage;

/** How to speak of a package. */
export interface PackageDescription {
  /** What to call it. */
  readonly noun: PackageNoun;
  /** The stage. */
  readonly stage: ReachedStage;
  /** The stage's name for people. */
  readonly label: string;
  /** What the stage is based on. No file of the package was seen. */
  readonly reviewed: ClaimedDepth;
  /** The outcome, in one constant line. */
  readonly outcome: typeof CLOSED_OUTCOME;
  /** All of it in a few sentences, for visitors: what the author has to do is in `resolution.nextSteps`. */
  readonly sentence: string;
  /** Where the package stands. */
  readonly resolution: LifecycleResolution;
}

/** The one outcome of everything here. */
export const CLOSED_OUTCOME = "not accepted, not signed, not installable";

/**
 * Describes a package in the words that everybody uses, from what was found out about it: only what
 * `resolveSdkDistributionLifecycleStage` or `parseArtifact` returned is taken, everything else throws.
 */
export function describePackage(found: Describable): PackageDescription {
  const resolution = resolutionOf(found);
  const noun = nounOf(resolution);
  const { stage, label, meaning, missingGates, reviewed } = resolution;
  const basis = `Reviewed ${reviewed}: ${DEPTH_MEANINGS[reviewed]}.`;
  const sentence = `${noun[0]?.toUpperCase()}${noun.slice(1)}. ${label}: ${meaning} ${basis} It is ${CLOSED_OUTCOME}; ${missingGates.length} of ${ALL_GATES.length} gates are missing.`;
  return frozen({ noun, stage, label, reviewed, outcome: CLOSED_OUTCOME, sentence, resolution });
}

function resolutionOf(found: Describable): LifecycleResolution {
  if (!isMade(found)) {
    throw new TypeError("describePackage takes what resolveSdkDistributionLifecycleStage or parseArtifact returned");
  }
  if ("nextStage" in found) return found;
  if (!("packages" in found)) return resolveReviewed(found);
  const [reviewed] = found.packages;
  if (reviewed === undefined || found.packages.length > 1) {
    throw new TypeError("an index speaks of several packages: describe each of its `packages`");
  }
  return resolveReviewed(reviewed);
}

function nounOf({ stage, verdict }: LifecycleResolution): PackageNoun {
  switch (stage) {
    case "blueprint":
      return "blueprint";
    case "showcase-preview":
      return "showcase preview";
    case "review-report":
    case "collection-entry":
      return verdict === "blocked" ? "validated artifact (review blocked)" : "validated artifact";
  }
}
