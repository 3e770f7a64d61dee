/** Runs the rules over a package. */

import type { RuleCode } from "../forms/form.js";
import { RULES } from "../generated/rules.js";
import type { Severity } from "../parts.js";
import { joined } from "./causes.js";
import { excepted, exceptionsOf, idleExceptions } from "./exceptions.js";
import { FILE_CHECKS } from "./files.js";
import { LISTING_CHECKS } from "./listing.js";
import { MANIFEST_CHECKS } from "./manifest.js";
import { canRun, type Check, type Found, type Package } from "./package.js";
import { PERMISSION_CHECKS } from "./permissions.js";
import { finish, type Steps } from "../steps.js";

/** What a rule found. */
export interface RuleFinding extends Found {
  readonly rule: RuleCode;
  /** How many files have it, where that is more than one. */
  readonly files?: number;
  /** The row of the manifest's `exceptions` that speaks of it. */
  readonly exception?: number;
}

/** How much a finding weighs: as its rule, or less. */
export function severityOf({ rule, severity }: RuleFinding): Severity {
  return severity ?? RULES[rule].severity;
}

/** The rules that look at packages, with their checks. */
export const CHECKS: { readonly [code: string]: Check } = {
  ...FILE_CHECKS,
  ...LISTING_CHECKS,
  ...MANIFEST_CHECKS,
  ...PERMISSION_CHECKS,
};

/** The rules that speak of packages, in order of code. */
export const PACKAGE_RULES = (Object.keys(RULES) as RuleCode[]).filter((code) => RULES[code].needs !== "artifact");

/** Runs every rule that can run. */
export function findingsOf(given: Package): RuleFinding[] {
  return finish(runningRules(given));
}

/** `findingsOf`, in steps. */
export function* runningRules(given: Package): Steps<RuleFinding[]> {
  const exceptions = exceptionsOf(given.manifest);
  const findings: RuleFinding[] = [];
  for (const rule of PACKAGE_RULES) {
    const check = CHECKS[rule];
    if (check === undefined || !canRun(rule, given)) continue;
    findings.push(...joined(check(given).map((found) => excepted({ rule, ...found }, exceptions))));
    yield;
  }
  // Without facts nobody knows what an exception speaks of.
  return given.facts === undefined ? findings : [...findings, ...idleExceptions(given.manifest, findings)];
}
