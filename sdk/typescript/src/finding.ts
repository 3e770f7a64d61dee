/** One finding: a rule, a message, a place and a way out. */

import { PROBLEM_STATUSES } from "./generated/problems.js";
import type { RuleCode } from "./forms/form.js";
import type { Rules } from "./rules/rule-set.js";
import type { Fault } from "./strict-json/fault.js";
import { type Document, startOf } from "./strict-json/tree.js";

export type { RuleCode } from "./forms/form.js";

/** The code of a problem. */
export type ProblemCode = keyof typeof PROBLEM_STATUSES;

/** One finding. */
export interface Finding {
  /** The rule that was broken. */
  readonly rule: RuleCode;
  /** How much it weighs. */
  readonly severity: "error" | "blocker" | "warning" | "note";
  /** The problem code at the registry. */
  readonly problem: ProblemCode;
  /** Where in the document, as a JSON pointer. A missing member's is where it would stand. */
  readonly pointer: string;
  /** What is wrong, here. It may quote names of the document: show it as text, never as markup. */
  readonly message: string;
  /** The way out. */
  readonly help: string;
  /** Where in the text, counted from one, when there is a text. */
  readonly place?: { readonly line: number; readonly column: number };
}

/** A finding before its place in the text is known. */
export interface Draft {
  readonly rule: RuleCode;
  readonly pointer: string;
  readonly message: string;
  /** Where it starts, when the pointer does not tell. */
  readonly start?: number;
}

/** A refusal of the strict reader. */
export function ofFault(rules: Rules, fault: Fault): Draft {
  return { rule: fault.rule, pointer: "", message: `${rules.rows[fault.rule].title}: ${fault.detail}`, start: fault.start };
}

/** Whether a finding is about a claim to be open. */
export function isOpenClaim(rules: Rules, finding: { readonly rule: RuleCode }): boolean {
  return rules.rows[finding.rule].problem === "posture-violation";
}

/** Whether a finding stops. */
export function isError(rules: Rules, finding: { readonly rule: RuleCode }): boolean {
  return rules.rows[finding.rule].severity === "error";
}

/** The finding without a place in a text. */
export function finished(rules: Rules, { rule, pointer, message }: Draft): Finding {
  const { severity, problem, fix } = rules.rows[rule];
  return { rule, severity, problem, pointer, message, help: fix };
}

/** The findings with their places in the text of a document. */
export function placed(rules: Rules, drafts: readonly Draft[], { root, text }: Document): Finding[] {
  const starts = drafts.map((draft) => draft.start ?? (root === undefined ? 0 : startOf(root, draft.pointer)));
  const places = placesOf(text, starts);
  return drafts.map((draft, index) => {
    const place = places.get(starts[index] ?? 0);
    return place === undefined ? finished(rules, draft) : { ...finished(rules, draft), place };
  });
}

/** The problem code that names all error findings together; the reader's refusals come before everything else. */
export function problemOf(rules: Rules, findings: readonly { readonly rule: RuleCode }[]): ProblemCode | undefined {
  let first: ProblemCode | undefined;
  for (const code of findings.filter((finding) => isError(rules, finding)).map((finding) => rules.rows[finding.rule].problem)) {
    if (first === undefined || isHeavier(code, first)) first = code;
  }
  return first;
}

/** Among refusals of one status the heaviest names the whole. */
const BY_WEIGHT: readonly ProblemCode[] = ["review-mismatch", "binding-mismatch", "digest-mismatch", "posture-violation"];

function isHeavier(code: ProblemCode, than: ProblemCode): boolean {
  const [status, other] = [PROBLEM_STATUSES[code], PROBLEM_STATUSES[than]];
  return status === other ? BY_WEIGHT.indexOf(code) > BY_WEIGHT.indexOf(than) : status < other;
}

/** Line and column of offsets, in one pass over the text. Columns count characters. */
function placesOf(text: string, offsets: readonly number[]): Map<number, { line: number; column: number }> {
  const places = new Map<number, { line: number; column: number }>();
  let [line, column, at] = [1, 1, 0];
  for (const offset of [...new Set(offsets)].sort((left, right) => left - right)) {
    for (let end = text.indexOf("\n", at); end >= 0 && end < offset; end = text.indexOf("\n", at)) {
      [line, column, at] = [line + 1, 1, end + 1];
    }
    for (; at < offset && at < text.length; column += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    places.set(offset, { line, column });
  }
  return places;
}
