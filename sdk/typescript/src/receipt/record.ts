/** A record of the journal: one no, in the words that were answered. Whatever else it says, it is not one. */

import { ALL_GATES, FLAGS, MISSING_GATES } from "../closed.js";
import { isDigest } from "../digest.js";
import { isText } from "../forms/form.js";
import { PROBLEMS } from "../generated/problems.js";
import { OPERATIONS } from "../generated/table.js";
import type { JsonValue } from "../strict-json/tree.js";

/** An object as the strict reader gives it. */
export type Members = { readonly [name: string]: JsonValue };

/** The members that a record may have; the second list is always there. */
const OPTIONAL = ["artifact", "bodyDigest", "decisionId", "problem"];
const REQUIRED = [
  "accepted", "answerDigest", "installable", "kind", "missingGates", "operation", "outcome", "requestId", "ruleset", "schemaVersion",
  "sequence", "signed", "time",
];

const OPERATION_NAMES: readonly string[] = Object.values(OPERATIONS).map((row) => row.operation);
const RECORDED_STATUS = 422;

/** An object, or nothing. */
export function membersOf(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
}

/** Why a value is not the record of a no, or nothing when it is. */
export function recordFault(record: Members): "not-a-refusal" | "malformed" | undefined {
  const { outcome } = record;
  const open = FLAGS.some((flag) => record[flag] !== undefined && record[flag] !== false);
  if (open || (typeof outcome === "string" && outcome !== "denied" && outcome !== "refused")) return "not-a-refusal";
  if (!hasForm(record)) return "malformed";
  return holds(record) ? undefined : "not-a-refusal";
}

/** The gates that a record of this outcome names. */
export function missingGates(outcome: JsonValue | undefined): readonly string[] {
  return outcome === "denied" ? MISSING_GATES : ALL_GATES;
}

function hasForm(record: Members): boolean {
  const names = Object.keys(record);
  const text = (name: string) => record[name] === undefined || typeof record[name] === "string";
  return (
    REQUIRED.every((name) => Object.hasOwn(record, name)) &&
    names.every((name) => REQUIRED.includes(name) || OPTIONAL.includes(name)) &&
    record["kind"] === "svc-journal-record" &&
    record["schemaVersion"] === "1.0" &&
    Number.isSafeInteger(record["sequence"]) &&
    (record["sequence"] as number) >= 0 &&
    typeof record["operation"] === "string" &&
    OPERATION_NAMES.includes(record["operation"]) &&
    typeof record["requestId"] === "string" &&
    /^[0-9A-Za-z-]{1,64}$/.test(record["requestId"]) &&
    typeof record["time"] === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(record["time"]) &&
    isDigest(record["answerDigest"]) &&
    isDigest(record["ruleset"]) &&
    ["bodyDigest", "decisionId"].every((name) => record[name] === undefined || isDigest(record[name])) &&
    text("problem") &&
    isArtifact(record["artifact"])
  );
}

function isArtifact(value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  const { kind, digest, ...rest } = membersOf(value) ?? { other: true };
  const kindFits = kind === undefined || (typeof kind === "string" && isText("artifact-kind", kind));
  return Object.keys(rest).length === 0 && kindFits && (digest === undefined || isDigest(digest));
}

/** Whether the members fit together. */
function holds(record: Members): boolean {
  const has = (name: string) => Object.hasOwn(record, name);
  const gates = record["missingGates"];
  const expected = missingGates(record["outcome"]);
  const sameGates = Array.isArray(gates) && gates.length === expected.length && gates.every((gate, at) => gate === expected[at]);
  if (record["outcome"] === "denied") {
    const artifact = membersOf(record["artifact"]);
    const checked = artifact?.["digest"] !== undefined && artifact["kind"] !== undefined;
    return sameGates && checked && has("decisionId") && !has("problem") && !has("bodyDigest");
  }
  const problem = record["problem"];
  const known = typeof problem === "string" && Object.hasOwn(PROBLEMS, problem);
  const recorded = known && PROBLEMS[problem as keyof typeof PROBLEMS].status === RECORDED_STATUS;
  return sameGates && recorded && has("bodyDigest") && !has("decisionId");
}
