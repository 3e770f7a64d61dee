/**
 * The findings of one document, within a limit: as many as anybody reads are listed, at least one of each rule that is
 * broken, and all are counted.
 */

import { type Draft, isError, isOpenClaim, type ProblemCode, problemOf, type RuleCode } from "./finding.js";
import { LIMITS } from "./generated/limits.js";
import type { Rules } from "./rules/rule-set.js";

/** Findings while they are collected. */
export class Findings {
  readonly #rules: Rules;
  #listed: Draft[] = [];
  readonly #leftOut = new Map<RuleCode, number>();

  /** The rules weigh the findings. */
  constructor(rules: Rules) {
    this.#rules = rules;
  }

  static of(rules: Rules, drafts: Iterable<Draft>): Findings {
    const findings = new Findings(rules);
    findings.add(drafts);
    return findings;
  }

  /** The list, in the order of the document. */
  get listed(): readonly Draft[] {
    return this.#listed;
  }

  /** How many there are, those that are not listed included. */
  get total(): number {
    return [...this.#leftOut.values()].reduce((sum, count) => sum + count, this.#listed.length);
  }

  /** The rules that are broken, each once. */
  get rules(): readonly RuleCode[] {
    return [...new Set([...this.#listed.map(({ rule }) => rule), ...this.#leftOut.keys()])];
  }

  get hasError(): boolean {
    return this.rules.some((rule) => isError(this.#rules, { rule }));
  }

  get hasOpenClaim(): boolean {
    return this.rules.some((rule) => isOpenClaim(this.#rules, { rule }));
  }

  get problem(): ProblemCode | undefined {
    return problemOf(this.#rules, this.rules.map((rule) => ({ rule })));
  }

  push(draft: Draft): void {
    if (this.#listed.length < LIMITS["report-findings"] || (!this.#lists(draft.rule) && this.#giveWay())) this.#listed.push(draft);
    else this.#count(draft.rule, 1);
  }

  add(drafts: Iterable<Draft>): void {
    for (const draft of drafts) this.push(draft);
  }

  /** Adds the findings of a part, each as `change` makes it. */
  append(part: Findings, change: (draft: Draft) => Draft = (draft) => draft): void {
    this.add(part.#listed.map(change));
    for (const [rule, count] of part.#leftOut) this.#count(rule, count);
  }

  /** Whether the next finding of a rule is listed. */
  wouldList(rule: RuleCode): boolean {
    return this.#listed.length < LIMITS["report-findings"] || !this.#lists(rule);
  }

  #lists(rule: RuleCode): boolean {
    return this.#leftOut.has(rule) || this.#listed.some((listed) => listed.rule === rule);
  }

  /** Takes the last finding off the list whose rule is listed more than once. Tells whether there was one. */
  #giveWay(): boolean {
    const seen = new Map<RuleCode, number>();
    for (const { rule } of this.#listed) seen.set(rule, (seen.get(rule) ?? 0) + 1);
    for (let at = this.#listed.length - 1; at >= 0; at -= 1) {
      const rule = this.#listed[at]?.rule;
      if (rule === undefined || (seen.get(rule) ?? 0) < 2) continue;
      this.#listed.splice(at, 1);
      this.#count(rule, 1);
      return true;
    }
    return false;
  }

  #count(rule: RuleCode, more: number): void {
    this.#leftOut.set(rule, (this.#leftOut.get(rule) ?? 0) + more);
  }
}
