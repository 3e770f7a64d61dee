/**
 * The lifecycle catalog and the one function that projects an entry onto a stage.
 *
 * The rules are data, the same as in Rust. No label that claims a stage is ever read, and no evidence form exists for the
 * last stage, so nothing resolves to it: `ReachedStage` has no value for it.
 */

import { type FormName, isText } from "./forms/form.js";
import type { ReachedStage } from "./generated/artifacts.js";
import { SDK_DISTRIBUTION_LIFECYCLE_CATALOG } from "./generated/catalog.js";
import { FORMS } from "./generated/forms.js";
import { parts } from "./pointer.js";

/** A stage of the catalog. */
export type Stage = (typeof SDK_DISTRIBUTION_LIFECYCLE_CATALOG)["stages"][number]["id"];

/** Where an entry stands. */
export interface LifecycleResolution {
  /** Never installable. */
  readonly installable: false;
  /** The stage's name for people. */
  readonly label: string;
  /** What the stage means. */
  readonly meaning: string;
  /** The evidence that the next stage lacks, as pointers into the entry; for the last stage the gates. */
  readonly missingEvidence: readonly string[];
  /** The next stage. There always is one. */
  readonly nextStage: Stage;
  /** The stage. */
  readonly stage: ReachedStage;
}

interface StageRow {
  readonly id: Stage;
  readonly label: string;
  readonly meaning: string;
  readonly evidence: readonly Evidence[];
}

interface Evidence {
  readonly pointer: string;
  readonly test: string;
  readonly form?: string;
  readonly words?: readonly string[];
  readonly sameAs?: string;
}

const STAGES: readonly StageRow[] = SDK_DISTRIBUTION_LIFECYCLE_CATALOG.stages;
const REACHABLE = STAGES.slice(0, -1);

/**
 * Projects a collection entry onto a stage: the highest whose own evidence and all lower evidence is there.
 *
 * Presence, form and agreement are looked at; hashing is the work of `parseArtifact`. A draft may lack any part, and
 * whatever is malformed is missing.
 */
export function resolveSdkDistributionLifecycleStage(entry: unknown): LifecycleResolution {
  const complete = REACHABLE.findIndex((stage) => missing(entry, stage).length > 0);
  const position = complete < 0 ? REACHABLE.length - 1 : Math.max(complete - 1, 0);
  const stage = STAGES[position] as StageRow;
  const next = STAGES[position + 1] as StageRow;
  return {
    installable: false,
    label: stage.label,
    meaning: stage.meaning,
    missingEvidence: missing(entry, next),
    nextStage: next.id,
    stage: stage.id as ReachedStage,
  };
}

function missing(entry: unknown, stage: StageRow): string[] {
  const pointers = stage.evidence.filter((evidence) => !isThere(entry, evidence)).map((evidence) => evidence.pointer);
  return pointers.filter((pointer, index) => pointer !== pointers[index - 1]);
}

function isThere(entry: unknown, { pointer, test, form, words, sameAs }: Evidence): boolean {
  const found = at(entry, pointer);
  switch (test) {
    case "form":
      return typeof found === "string" && form !== undefined && Object.hasOwn(FORMS, form) && isText(form as FormName, found);
    case "word":
      return typeof found === "string" && words !== undefined && words.includes(found);
    case "non-empty-list":
      return Array.isArray(found) && found.length > 0;
    case "same-as":
      return typeof found === "string" && sameAs !== undefined && found === at(entry, sameAs);
    case "no-author-blocker":
      return found === undefined || (Array.isArray(found) && Array.from(found).every(isNotTheAuthors));
    default:
      // No form of evidence exists, or none that this version knows: a no.
      return false;
  }
}

function isNotTheAuthors(blocker: unknown): boolean {
  const owner = at(blocker, "/owner");
  return typeof owner === "string" && isText("clearer", owner) && owner !== "author";
}

/** The value a pointer leads to, over plain members and elements: nothing inherited, nothing computed. */
function at(value: unknown, pointer: string): unknown {
  let here = value;
  for (const part of parts(pointer)) {
    if (typeof here !== "object" || here === null) return undefined;
    if (Array.isArray(here) && !/^[0-9]+$/.test(part)) return undefined;
    here = ownValue(here, part);
  }
  return here;
}

function ownValue(object: object, name: string): unknown {
  try {
    return Object.getOwnPropertyDescriptor(object, name)?.value;
  } catch {
    return undefined;
  }
}
