/** The blockers: what stands between a package and the next stage, and who can clear it. */

import { frozen } from "../frozen.js";
import { GATE_ROWS, GATES } from "../generated/gates.js";
import type { Blocker, ReviewReport } from "../parts.js";
import type { RuleFinding } from "../rules/package.js";
import { type Rules, SVC_DEFAULT } from "../rules/rule-set.js";
import { listed } from "./report.js";

/** The blocker that comes with a public listing. */
const PUBLIC_LISTING = "public-listing";

/** The blockers that follow from a report: what a submission must declare. */
export function blockersOf({ findings }: ReviewReport, isPublic: boolean): Blocker[] {
  const blocking = findings.filter(({ severity }) => severity === "blocker");
  return withGates(blocking.map(({ code, exception }) => ruleBlocker(code, exception)), isPublic);
}

/**
 * The blockers that follow from what our own rules found: what is shown. An error of ours stands only in a package that
 * other rules let through: it is the author's to mend as well.
 */
export function ownBlockers(findings: readonly RuleFinding[], isPublic: boolean): Blocker[] {
  const blocking = listed(findings).filter(({ severity }) => severity === "error" || severity === "blocker");
  return withGates(blocking.map(({ rule, exception }) => ruleBlocker(rule, exception)), isPublic);
}

/** What a blocker means and what clears it, in our words: an artifact has none. */
export function blockerInWords(blocker: Blocker, rules: Rules = SVC_DEFAULT): { readonly message: string; readonly remedy: string } {
  return frozen(inWords(rules, blocker));
}

function inWords({ rows }: Rules, { code, gate, owner }: Blocker): { readonly message: string; readonly remedy: string } {
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
  if (Object.hasOwn(rows, code)) {
    const { title, fix } = rows[code as keyof typeof rows];
    if (owner !== "registry") return { message: title, remedy: fix };
    const remedy = "a reviewer who looks at the exception; the author can remove what it speaks of";
    return { message: `an exception was asked for: ${title}`, remedy };
  }
  return { message: "a rule that this svc does not know", remedy: "read it with the svc that made it" };
}

/** One for each rule that blocks, however often: the author's, then the exceptions; then the gates that nothing clears. */
function withGates(blocking: readonly Blocker[], isPublic: boolean): Blocker[] {
  const byKey = new Map(blocking.map((blocker) => [`${blocker.owner} ${blocker.code}`, blocker]));
  const gates = GATE_ROWS.filter((row) => row.gate !== "artifact-hash").map((row) => gateBlocker(row.gate, row));
  return [
    ...[...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? []),
    ...gates,
    // A public listing waits for the same gate as the evidence.
    ...gates.filter(({ gate }) => isPublic && gate === "review-storage").map((gate) => ({ ...gate, code: PUBLIC_LISTING })),
  ];
}

/** A reviewer of the registry is asked to look at an exception; all else is the author's to mend. */
function ruleBlocker(code: string, exception: number | undefined): Blocker {
  return { blocksStage: "collection-entry", code, owner: exception === undefined ? "author" : "registry" };
}

function gateBlocker(code: string, { gate, clearedBy, status }: Exclude<(typeof GATE_ROWS)[number], { gate: "artifact-hash" }>): Blocker {
  return { blocksStage: "signed-package", code, gate, owner: clearedBy, status };
}
