/** From checked evidence to a stage. */

import type { ReachedStage } from "./generated/artifacts.js";
import type { Manifest } from "./parts.js";
import type { Rules } from "./rules/rule-set.js";
import type { RuleFinding } from "./rules/package.js";

/** Which evidence of a package was checked and is there. */
export interface StageEvidence {
  /** A manifest with its listing members that breaks no rule that needs the manifest alone. */
  readonly listing: boolean;
  /** A report that the rules give again. */
  readonly report: boolean;
  /** A place in a collection that no blocker keeps it out of. */
  readonly entry: boolean;
}

/** The one function from evidence to a stage: a stage needs its own evidence and that of every stage below it. */
export function stageOf({ listing, report, entry }: StageEvidence): ReachedStage {
  if (!listing) return "blueprint";
  if (!report) return "showcase-preview";
  return entry ? "collection-entry" : "review-report";
}

/** What keeps a manifest from being a listing: errors of rules that need the manifest alone, or that it names no icon. */
export function lacksForListing({ rows }: Rules, { icons }: Manifest, findings: readonly RuleFinding[]): readonly RuleFinding[] | "icon" | undefined {
  const errors = findings.filter(({ rule, severity }) => severity === "error" && rows[rule].needs === "manifest");
  if (errors.length > 0) return errors;
  return icons.length > 0 ? undefined : "icon";
}
