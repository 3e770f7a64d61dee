/**
 * An answer next to its record: everything that the record says of it, compared member by member.
 *
 * The digest of the record covers every word of the answer. It does not show that the other members of the record are about
 * the same answer: a log that lies signs both.
 */

import { canonicalize } from "../canonical.js";
import { digestJson } from "../digest.js";
import { OPERATIONS } from "../generated/table.js";
import type { JsonValue } from "../strict-json/tree.js";
import { leastDepth, type Members, membersOf } from "./record.js";

/** A member in which an answer contradicts its record. */
export type Contradiction = (typeof CONTRADICTIONS)[number][0];

type Differs = (answer: Members, record: Members, isDenied: boolean) => boolean;

const CONTRADICTIONS = [
  ["other-request", (answer, record) => answer["requestId"] !== record["requestId"]],
  ["other-problem", (answer, record) => answer["code"] !== record["problem"]],
  ["other-decision", (answer, record, isDenied) => answer["decisionId"] !== record["decisionId"] || (isDenied && decisionId(answer) !== record["decisionId"])],
  ["other-operation", (answer, record, isDenied) => answer["operation"] !== (isDenied ? record["operation"] : undefined) || (!isDenied && isOfAnother(answer["instance"], record["operation"]))],
  ["other-artifact", (answer, record, isDenied) => ["digest", "kind"].some((name) => membersOf(answer["artifact"])?.[name] !== (isDenied ? membersOf(record["artifact"])?.[name] : undefined))],
  ["other-ruleset", (answer, record, isDenied) => ownRules(answer) !== (isDenied ? record["ruleset"] : undefined)],
  ["other-depth", (answer, record) => leastDepth(depthsOf(answer)) !== record["reviewed"] || (depthsOf(answer).length > 0 && record["reviewed"] === undefined)],
  ["other-gates", (answer, record) => canonicalize(answer["missingGates"] ?? null) !== canonicalize(record["missingGates"])],
] as const satisfies readonly (readonly [string, Differs])[];

/** The first member in which an answer, without its receipt, contradicts its record. */
export function contradiction(record: Members, answer: Members): Contradiction | undefined {
  const isDenied = record["outcome"] === "denied";
  return CONTRADICTIONS.find(([, differs]) => differs(answer, record, isDenied))?.[0];
}

/** The id of a decision: the digest of the answer without the id itself and the request's name. */
function decisionId({ decisionId: _, requestId: __, ...rest }: Members): string {
  return digestJson(rest);
}

/** Whether a path leads to the endpoint of another operation, under any base path. */
function isOfAnother(path: JsonValue | undefined, operation: JsonValue | undefined): boolean {
  const asked = Object.values(OPERATIONS).find((row) => typeof path === "string" && path.endsWith(row.path));
  return asked !== undefined && asked.operation !== operation;
}

/** What an answer says that it is based on: the answer as a whole, or each of its entries. */
function depthsOf(answer: Members): readonly (JsonValue | undefined)[] {
  const entries = Array.isArray(answer["entries"]) ? answer["entries"] : [];
  const whole = Object.hasOwn(answer, "reviewed") ? [answer["reviewed"]] : [];
  return [...whole, ...entries.map((entry) => membersOf(entry)?.["reviewed"])];
}

function ownRules(answer: Members): JsonValue | undefined {
  return membersOf(membersOf(answer["ruleset"])?.["own"])?.["digest"];
}
