// A rule in words: why it is there, the way out, and where to read on.

import { SVC_DEFAULT } from "../../../sdk/typescript/src/rules/rule-set.ts";
import { REASONS } from "svc:reasons";
import { element, paragraph, prose, type Child } from "../dom.ts";
import { CONSOLE } from "./address.ts";

export function explained(rule: string): Child[] {
  if (!Object.hasOwn(SVC_DEFAULT.rows, rule)) return [];
  const { fix, title } = SVC_DEFAULT.rows[rule as keyof typeof SVC_DEFAULT.rows];
  const link = element("a", "", `${rule}: ${title} (in a tab of its own)`);
  link.href = `${CONSOLE}rules/${rule}`;
  // What was typed in and dropped here stays.
  link.target = "_blank";
  link.rel = "noopener";
  return [paragraph("fine", "Why: ", prose(REASONS[rule] ?? "")), paragraph("fine", "The way out: ", prose(fix)), paragraph("fine", "More: ", link)];
}
