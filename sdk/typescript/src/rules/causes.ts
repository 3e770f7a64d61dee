/** One finding for each cause: what many files have alike is said once, with how many they are. */

import { compareBytes } from "../unicode.js";
import type { RuleFinding } from "./package.js";

/** So many files are still told one by one. */
const ALONE = 3;

/** The findings of one rule, those of many files with one cause as one, in the file that comes first. */
export function joined(findings: readonly RuleFinding[]): RuleFinding[] {
  const groups = new Map<string, RuleFinding[]>();
  for (const finding of findings.filter(({ file }) => file !== undefined)) {
    const cause = causeOf(finding);
    const group = groups.get(cause);
    if (group === undefined) groups.set(cause, [finding]);
    else group.push(finding);
  }
  const many = [...groups.values()].filter((group) => group.length > ALONE);
  const firsts = new Map(many.map((group) => [firstOf(group), group.length]));
  const others = new Set(many.flat().filter((finding) => !firsts.has(finding)));
  return findings.flatMap((finding) => {
    const files = firsts.get(finding);
    if (files !== undefined) return [{ ...finding, files }];
    return others.has(finding) ? [] : [finding];
  });
}

function firstOf(group: readonly RuleFinding[]): RuleFinding {
  return group.reduce((first, other) => (compareBytes(other.file ?? "", first.file ?? "") < 0 ? other : first));
}

/** What findings of one rule have in common when they have one cause. */
function causeOf({ severity, subject, exception, cause }: RuleFinding): string {
  return JSON.stringify([severity, subject, exception, cause]);
}
