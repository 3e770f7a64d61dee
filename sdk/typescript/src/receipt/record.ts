/** A record of the journal: one no, in the words that were answered. Whatever else it says, it is not one. */

import { ALL_GATES, FLAGS, MISSING_GATES } from "../closed.js";
import { isDigest } from "../digest.js";
import { isText } from "../forms/form.js";
import type { AnyProblemCode, ClaimedDepth, Digest, SvcJournalRecord } from "../generated/artifacts.js";
import { PROBLEM_STATUSES } from "../generated/problems.js";
import { OPERATIONS } from "../generated/table.js";
import type { JsonValue } from "../strict-json/tree.js";

/** A record whose members fit together: the outcome tells which of them are there. */
export type JournalRecord = DeniedRecord | RefusedRecord;

/** What every record has. */
type RecordBase = Omit<SvcJournalRecord, "artifact" | "bodyDigest" | "decisionId" | "outcome" | "problem" | "reviewed">;

/** A completed evaluation: denied. */
export interface DeniedRecord extends RecordBase {
  readonly outcome: "denied";
  /** Which document was evaluated. */
  readonly artifact: { readonly digest: Digest; readonly kind: string };
  readonly decisionId: Digest;
  /** What the answer is based on, of an index the least of its entries. No registry reads package files. */
  readonly reviewed: ClaimedDepth;
  readonly bodyDigest?: never;
  readonly problem?: never;
}

/** A document that was refused. */
export interface RefusedRecord extends RecordBase {
  readonly outcome: "refused";
  /** What the document said that it is, as far as it could be read. */
  readonly artifact?: { readonly digest?: Digest; readonly kind?: string };
  /** The digest of the bytes as they came. */
  readonly bodyDigest: Digest;
  readonly problem: AnyProblemCode;
  readonly decisionId?: never;
  readonly reviewed?: never;
}

/** An object as the strict reader gives it. */
export type Members = { readonly [name: string]: JsonValue };

/** The members that a record may have; the second list is always there. */
const OPTIONAL = ["artifact", "bodyDigest", "decisionId", "probe", "problem", "reviewed"];
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

/** The gates that a record of this outcome names. */
export function missingGates(outcome: JsonValue | undefined): readonly string[] {
  return outcome === "denied" ? MISSING_GATES : ALL_GATES;
}

/** Whether every member of a record has its form. A claim to be open has none. */
export function hasForm(record: Members): boolean {
  const names = Object.keys(record);
  return (
    REQUIRED.every((name) => Object.hasOwn(record, name)) &&
    names.every((name) => REQUIRED.includes(name) || OPTIONAL.includes(name)) &&
    FLAGS.every((flag) => record[flag] === false) &&
    (record["outcome"] === "denied" || record["outcome"] === "refused") &&
    record["kind"] === "svc-journal-record" &&
    record["schemaVersion"] === "1.0" &&
    Number.isSafeInteger(record["sequence"]) &&
    (record["sequence"] as number) >= 0 &&
    typeof record["operation"] === "string" &&
    OPERATION_NAMES.includes(record["operation"]) &&
    typeof record["requestId"] === "string" &&
    /^[0-9A-Za-z-]{1,64}$/.test(record["requestId"]) &&
    typeof record["time"] === "string" &&
    isMoment(record["time"]) &&
    isDigest(record["answerDigest"]) &&
    isDigest(record["ruleset"]) &&
    ["bodyDigest", "decisionId"].every((name) => record[name] === undefined || isDigest(record[name])) &&
    (record["probe"] === undefined || (typeof record["probe"] === "string" && /^[0-9a-f]{32}$/.test(record["probe"]))) &&
    (record["problem"] === undefined || isProblem(record["problem"])) &&
    (record["reviewed"] === undefined || isClaimedDepth(record["reviewed"])) &&
    isGates(record["missingGates"]) &&
    isArtifact(record["artifact"])
  );
}

/** A moment of the calendar since 1970, in UTC with milliseconds: there is no thirtieth of February and no second sixty. */
export function isMoment(text: string): boolean {
  const moment = Date.parse(text);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && moment >= 0 && new Date(moment).toISOString() === text;
}

/** The words for what an answer is based on, least first. There is none for having read files. */
const CLAIMED_DEPTHS: readonly ClaimedDepth[] = ["without-facts", "as-claimed"];

function isClaimedDepth(value: JsonValue | undefined): value is ClaimedDepth {
  return CLAIMED_DEPTHS.some((depth) => depth === value);
}

/** The least of several depths; nothing when one of them is no depth, or when there is none. */
export function leastDepth(values: readonly (JsonValue | undefined)[]): ClaimedDepth | undefined {
  return values.every(isClaimedDepth) ? CLAIMED_DEPTHS.find((depth) => values.includes(depth)) : undefined;
}

function isProblem(value: JsonValue): value is AnyProblemCode {
  return typeof value === "string" && isText("problem-code", value);
}

/** A code of a later version was recorded by a registry that knows it, under the one status that is recorded. */
function isRecorded(code: AnyProblemCode): boolean {
  const statuses: { readonly [code: string]: number } = PROBLEM_STATUSES;
  return !Object.hasOwn(statuses, code) || statuses[code] === RECORDED_STATUS;
}

function isGates(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((gate) => ALL_GATES.includes(gate));
}

function isArtifact(value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  const { kind, digest, ...rest } = membersOf(value) ?? { other: true };
  const kindFits = kind === undefined || (typeof kind === "string" && isText("artifact-kind", kind));
  return Object.keys(rest).length === 0 && kindFits && (digest === undefined || isDigest(digest));
}

/** The operation that takes documents of a kind. */
function operationOf(kind: JsonValue | undefined): string | undefined {
  const rows: { readonly [kind: string]: { readonly operation: string } } = OPERATIONS;
  return typeof kind === "string" && Object.hasOwn(rows, kind) ? rows[kind]?.operation : undefined;
}

/** Whether the members of a record in its form fit together. */
export function holds(record: Members): boolean {
  const has = (name: string) => Object.hasOwn(record, name);
  const gates = record["missingGates"];
  const expected = missingGates(record["outcome"]);
  const sameGates = Array.isArray(gates) && gates.length === expected.length && gates.every((gate, at) => gate === expected[at]);
  if (record["outcome"] === "denied") {
    const artifact = membersOf(record["artifact"]);
    const checked = artifact?.["digest"] !== undefined && operationOf(artifact["kind"]) === record["operation"];
    return sameGates && checked && has("decisionId") && has("reviewed") && !has("problem") && !has("bodyDigest");
  }
  const problem = record["problem"];
  const recorded = problem !== undefined && isProblem(problem) && isRecorded(problem);
  return sameGates && recorded && has("bodyDigest") && !has("decisionId") && !has("reviewed");
}
