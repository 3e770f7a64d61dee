/** How an external package is called: a validated artifact or a showcase preview, never more. */

import { ALL_GATES, MISSING_GATES } from "./closed.js";
import { type LifecycleResolution, resolveSdkDistributionLifecycleStage } from "./lifecycle.js";

/** The words for an external package; a draft below them is a blueprint. */
export type PackageNoun = "validated artifact" | "showcase preview" | "blueprint";

/** How to speak of an entry. */
export interface PackageDescription {
  /** What to call it. */
  readonly noun: PackageNoun;
  /** The stage in the words of the catalog. */
  readonly stage: string;
  /** The outcome, in one constant line. */
  readonly outcome: typeof CLOSED_OUTCOME;
  /** All of it in one sentence, for people. */
  readonly sentence: string;
  /** Where the entry stands. */
  readonly resolution: LifecycleResolution;
}

/** The one outcome of everything here. */
export const CLOSED_OUTCOME = "not accepted, not signed, not installable";

/** Describes an entry of a collection in the words that everybody uses. */
export function describePackage(entry: unknown): PackageDescription {
  const resolution = resolveSdkDistributionLifecycleStage(entry);
  const noun = nounOf(resolution);
  const stage = `${resolution.label}: ${resolution.meaning}`;
  const sentence = `${noun[0]?.toUpperCase()}${noun.slice(1)}. ${stage} It is ${CLOSED_OUTCOME}; at least ${MISSING_GATES.length} of ${ALL_GATES.length} gates are missing.`;
  return { noun, stage, outcome: CLOSED_OUTCOME, sentence, resolution };
}

function nounOf({ stage }: LifecycleResolution): PackageNoun {
  switch (stage) {
    case "blueprint":
      return "blueprint";
    case "showcase-preview":
      return "showcase preview";
    case "review-report":
    case "collection-entry":
      return "validated artifact";
  }
}
