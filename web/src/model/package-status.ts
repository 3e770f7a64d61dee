// Where the package of a bundle stands: stage, gates and blockers, by our own rules.

import type { ReviewedPackage } from "../../../sdk/typescript/src/artifact/reviewed.ts";
import type { ClaimedDepth, Submission } from "../../../sdk/typescript/src/generated/artifacts.ts";
import { SDK_DISTRIBUTION_LIFECYCLE_CATALOG } from "../../../sdk/typescript/src/generated/catalog.ts";
import { GATES } from "../../../sdk/typescript/src/generated/gates.ts";
import { DEPTH_MEANINGS, HASH_BASIS } from "../../../sdk/typescript/src/review-depth.ts";
import { blockerInWords } from "../../../sdk/typescript/src/review/blockers.ts";
import { SVC_DEFAULT } from "../../../sdk/typescript/src/rules/rule-set.ts";
import type { Gate, Stage, PackageStatus } from "../report/model.ts";

const { stages: STAGES } = SDK_DISTRIBUTION_LIFECYCLE_CATALOG;

/** The gates as rows: evidence in a file can satisfy the artifact hash alone. */
export const GATE_LINES: readonly Gate[] = GATES.map(({ clearedBy, gate, missing, status }) => ({ clearedBy, evidenced: gate === "artifact-hash", gate, missing, word: gate === "artifact-hash" ? `${status} (${HASH_BASIS})` : status }));

const labelOf = (id: string): string => STAGES.find((stage) => stage.id === id)?.label ?? id;

/** The status of a package as the entry that it is in the bundle's index. */
export function packageStatus(submission: Submission, reviewed: ReviewedPackage): PackageStatus {
  const reached = STAGES.findIndex(({ id }) => id === reviewed.stage);
  return {
    blockers: reviewed.blockers.map((blocker) => {
      const { message, remedy } = blockerInWords(blocker);
      return { blocks: labelOf(blocker.blocksStage), code: blocker.code, owner: blocker.owner, remedy, what: message };
    }),
    digest: submission.artifactDigests.find(({ name }) => name === "package-artifact")?.digest ?? "",
    gates: GATE_LINES,
    next: (STAGES[reached + 1] ?? STAGES[STAGES.length - 1])?.label ?? "",
    review: reviewWords(submission, reviewed),
    reviewed: depthWords(reviewed.reviewed),
    stage: labelOf(reviewed.stage),
    stages: stageLines(reached),
  };
}

/** The stages, up to one that is reached. The last one is out of reach whatever is reached. */
export function stageLines(reached: number): Stage[] {
  return STAGES.map(({ id, label, meaning }, at) => ({ id, label, meaning, state: id === "signed-package" ? "out-of-reach" : at <= reached ? "reached" : "not-reached" }));
}

/** What stage and verdict are based on. This page reads no package files. */
export const depthWords = (depth: ClaimedDepth): string => `${depth}: ${DEPTH_MEANINGS[depth]}`;

function reviewWords({ ruleset }: Submission, { reviewed, verdict }: ReviewedPackage): string {
  return `${verdict}, ${reviewed}${ruleset.digest === SVC_DEFAULT.ruleset.digest ? "" : " by the rules of this svc; the bundle was made with others"}`;
}
