// A rule in words: why it is there, the way out, and where to read on.

import { RULES } from "../../../sdk/typescript/src/generated/rules.ts";
import { REASONS } from "svc:reasons";
import { element, paragraph, prose, type Child } from "../dom.ts";
import { CONSOLE } from "./address.ts";

export function explained(rule: string): Child[] {
  if (!Object.hasOwn(RULES, rule)) return [];
  const { fix, title } = RULES[rule as keyof typeof RULES];
  const link = element("a", "", `${rule}: ${title} (in a tab of its own)`);
  link.href = `${CONSOLE}rules/${rule}`;
  // What was typed in and dropped here stays.
  link.target = "_blank";
  link.rel = "noopener";
  return [paragraph("fine", "Why: ", prose(REASONS[rule] ?? "")), paragraph("fine", "The way out: ", prose(fix)), paragraph("fine", "More: ", link)];
}
