/** A rule set as a value: whatever evaluates is given one, so that one program can evaluate by several. */

import { frozen } from "../frozen.js";
import { PARAMETERS } from "../generated/parameters.js";
import type { PROBLEM_STATUSES } from "../generated/problems.js";
import { RULES, RULESET } from "../generated/rules.js";
import type { Ruleset, Severity } from "../parts.js";

/** What a rule set says of a rule. */
export interface RuleRow {
  readonly code: keyof typeof RULES;
  /** The exit code of `svc`. */
  readonly exit: number;
  /** The way out. */
  readonly fix: string;
  /** What the rule must see to run. */
  readonly needs: "text" | "manifest" | "file-table" | "facts" | "folder" | "artifact";
  /** The problem code at the registry. */
  readonly problem: keyof typeof PROBLEM_STATUSES;
  readonly severity: Severity;
  /** What is wrong when it fires. */
  readonly title: string;
}

/** The words and numbers of the rules that look at packages. */
export type RuleParameters = {
  readonly [Code in keyof typeof PARAMETERS]: {
    readonly [Name in keyof (typeof PARAMETERS)[Code]]: (typeof PARAMETERS)[Code][Name] extends number ? number : readonly string[];
  };
};

/** A rule set. */
export interface Rules {
  /** What documents call it: the digest decides, the version is for people. */
  readonly ruleset: Ruleset;
  /** Its rules by their codes. */
  readonly rows: { readonly [code in keyof typeof RULES]: RuleRow };
  readonly parameters: RuleParameters;
}

/** The rule set `svc.default`, that this package was generated from. */
export const SVC_DEFAULT = /* @__PURE__ */ frozen({ ruleset: RULESET, rows: RULES, parameters: PARAMETERS } as const satisfies Rules);
