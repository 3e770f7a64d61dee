/** Runs the rules over a package. */

import type { RuleCode } from "../forms/form.js";
import { joined } from "./causes.js";
import { excepted, exceptionsOf, idleExceptions } from "./exceptions.js";
import { FILE_CHECKS } from "./files.js";
import { LISTING_CHECKS } from "./listing.js";
import { MANIFEST_CHECKS } from "./manifest.js";
import { canRun, type Check, type Package, type RuleFinding } from "./package.js";
import { PERMISSION_CHECKS } from "./permissions.js";
import type { Rules } from "./rule-set.js";
import { finish, type Steps } from "../steps.js";

/** The rules that look at packages, with their checks. */
export const CHECKS: { readonly [code: string]: Check } = {
  ...FILE_CHECKS,
  ...LISTING_CHECKS,
  ...MANIFEST_CHECKS,
  ...PERMISSION_CHECKS,
};

/** The rules that speak of packages, in order of code. */
export function packageRules({ rows }: Rules): readonly RuleCode[] {
  return (Object.keys(rows) as RuleCode[]).filter((code) => rows[code].needs !== "artifact");
}

/** Runs every rule that can run. */
export function findingsOf(given: Package): RuleFinding[] {
  return finish(runningRules(given));
}

/** `findingsOf`, in steps. */
export function* runningRules(given: Package): Steps<RuleFinding[]> {
  const exceptions = exceptionsOf(given.manifest);
  const findings: RuleFinding[] = [];
  for (const rule of packageRules(given.rules)) {
    const { severity } = given.rules.rows[rule];
    const check = CHECKS[rule];
    if (check === undefined || !canRun(rule, given)) continue;
    findings.push(...joined(check(given).map((found) => excepted({ rule, severity, ...found }, exceptions))));
    yield;
  }
  // Without facts nobody knows what an exception speaks of.
  return given.facts === undefined ? findings : [...findings, ...idleExceptions(given, findings)];
}
