/** The blockers: what stands between a package and the next stage, and who can clear it. */

import { frozen } from "../frozen.js";
import { GATES } from "../generated/gates.js";
import { LIMITS } from "../generated/limits.js";
import { RULES } from "../generated/rules.js";
import type { Blocker, ReviewReport } from "../parts.js";
import type { RuleFinding } from "../rules/run.js";
import { inOrder } from "./report.js";

/** The blocker that comes with a public listing. */
const PUBLIC_LISTING = "public-listing";

/** The blockers that follow from a report: what a submission must declare. */
export function blockersOf({ findings }: ReviewReport, isPublic: boolean): Blocker[] {
  return withGates(findings.filter(({ severity }) => severity === "blocker").map(({ code }) => code), isPublic);
}

/**
 * The blockers that follow from what our own rules found: what is shown. An error of ours stands only in a package that
 * other rules let through: it is the author's to mend as well.
 */
export function ownBlockers(findings: readonly RuleFinding[], isPublic: boolean): Blocker[] {
  const listed = inOrder(findings).slice(0, LIMITS["report-findings"]);
  const author = listed.filter(({ rule }) => ["error", "blocker"].includes(RULES[rule].severity));
  return withGates(author.map(({ rule }) => rule), isPublic);
}

/** What a blocker means and what clears it, in our words: an artifact has none. */
export function blockerInWords(blocker: Blocker): { readonly message: string; readonly remedy: string } {
  return frozen(inWords(blocker));
}

function inWords({ code, gate }: Blocker): { readonly message: string; readonly remedy: string } {
  if (code === PUBLIC_LISTING) {
    return {
      message: "a public listing waits for stored review evidence",
      remedy: "a registry that stores the review evidence; until then nobody else sees the package",
    };
  }
  const row = GATES.find((row) => row.gate === gate);
  if (row !== undefined) {
    return { message: `the gate needs ${row.evidence}`, remedy: `needed: ${row.missing}; no author clears it` };
  }
  if (Object.hasOwn(RULES, code)) {
    const { title, fix } = RULES[code as keyof typeof RULES];
    return { message: title, remedy: fix };
  }
  return { message: "a rule that this svc does not know", remedy: "read it with the svc that made it" };
}

/** One for each rule that blocks the author, however often; then the gates that nothing clears. */
function withGates(author: readonly string[], isPublic: boolean): Blocker[] {
  const gates = GATES.filter((row) => row.gate !== "artifact-hash").map((row) => gateBlocker(row.gate, row));
  return [
    ...author.filter((code, at) => code !== author[at - 1]).map(authorBlocker),
    ...gates,
    // A public listing waits for the same gate as the evidence.
    ...gates.filter(({ gate }) => isPublic && gate === "review-storage").map((gate) => ({ ...gate, code: PUBLIC_LISTING })),
  ];
}

function authorBlocker(code: string): Blocker {
  return { blocksStage: "collection-entry", code, owner: "author" };
}

function gateBlocker(code: string, { gate, clearedBy, status }: Exclude<(typeof GATES)[number], { gate: "artifact-hash" }>): Blocker {
  return { blocksStage: "signed-package", code, gate, owner: clearedBy, status };
}
