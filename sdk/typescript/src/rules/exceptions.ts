/** Exceptions, in the open: what the manifest says of findings that it wants a reviewer to look at. */

import { LIMITS } from "../generated/limits.js";
import { isWordOf } from "../package/fact-table.js";
import { MANIFEST_FILE } from "../package/manifest-file.js";
import type { Manifest } from "../parts.js";
import type { Package, RuleFinding } from "./package.js";

/** The rows of a manifest's `exceptions`, by the rule and the path that each speaks of. */
export type Exceptions = ReadonlyMap<string, number>;

/** The rows of a manifest, as many as there may be. Of two that speak of the same, the first does. */
export function exceptionsOf({ exceptions = [] }: Manifest): Exceptions {
  const rows = exceptions.slice(0, LIMITS.exceptions).map(({ rule, path }, row): [string, number] => [keyOf(rule, path), row]);
  return new Map(rows.reverse());
}

/** The finding, with the row that speaks of it: what would leave no package blocks until a reviewer looks. */
export function excepted(finding: RuleFinding, exceptions: Exceptions): RuleFinding {
  const { rule, subject = "" } = finding;
  // Of rows that were cut nobody knows the file: no exception speaks of them.
  const file = finding.file ?? (rule === "SVC-L009" ? MANIFEST_FILE : undefined);
  const row = file !== undefined && canCover(rule, subject) ? exceptions.get(keyOf(rule, file)) : undefined;
  if (row === undefined) return finding;
  const isError = finding.severity === "error";
  return { ...finding, exception: row, ...(isError ? { severity: "blocker" } : {}) };
}

/** A finding for each row that speaks of nothing. */
export function idleExceptions({ rules, manifest: { exceptions = [] } }: Package, findings: readonly RuleFinding[]): RuleFinding[] {
  const used = new Set(findings.map(({ exception }) => exception));
  const idle = [...exceptions.slice(0, LIMITS.exceptions).keys()].filter((row) => !used.has(row));
  return idle.map((row) => ({ rule: "SVC-M031", severity: rules.rows["SVC-M031"].severity, pointer: `/exceptions/${row}` }));
}

/** A secret that was seen and code from elsewhere stay what they are, whatever anybody says of them. */
function canCover(rule: string, subject: string): boolean {
  const word = subject.split(":")[0] ?? "";
  switch (rule) {
    case "SVC-F008":
      return subject === "";
    case "SVC-P012":
      return isWordOf("dynamic-code", word);
    case "SVC-P013":
      return isWordOf("contact", word);
    default:
      return true;
  }
}

function keyOf(rule: string, path: string): string {
  return `${rule} ${path}`;
}
