// What our own rules found.

import type { PackageFinding, Review } from "../../../sdk/typescript/src/artifact/reviewed.ts";
import { MANIFEST_FILE } from "../../../sdk/typescript/src/package/manifest-file.ts";
import { compareBytes } from "../../../sdk/typescript/src/unicode.ts";
import type { Finding, FindingList } from "../report/model.ts";
import { counted, type Shown } from "./text.ts";

/** The most findings that are shown, of each rule some. */
const MOST_FINDINGS = 100;

const BY_WEIGHT: readonly Finding["severity"][] = ["error", "blocker", "warning", "note"];

export function findingList({ findings: found, findingCounts }: Review, shown: Shown): FindingList {
  const all = [...found].sort(bySource).sort((left, right) => BY_WEIGHT.indexOf(severityOf(left)) - BY_WEIGHT.indexOf(severityOf(right)));
  const rows = fitting(all, MOST_FINDINGS);
  const total = BY_WEIGHT.reduce((sum, severity) => sum + findingCounts[severity], 0);
  const more = counted(total - rows.length, "more finding", "more findings");
  return {
    counts: countsOf(findingCounts),
    ...(rows.length < total ? { leftOut: total > all.length ? more : `${more}: ${leftOut(all, rows)}` } : {}),
    ...(total > 0 ? { lines: "Files were not looked at, so no source line is shown." } : {}),
    rows: rows.map((finding) => row(finding, shown)),
    total,
  };
}

const severityOf = ({ severity }: PackageFinding): Finding["severity"] => severity;

/** As they stand in files, the manifest first. */
function bySource(left: PackageFinding, right: PackageFinding): number {
  return absentFirst(left.file, right.file, compareBytes) || absentFirst(left.place, right.place, (one, other) => one.line - other.line || one.column - other.column);
}

function absentFirst<T>(left: T | undefined, right: T | undefined, compare: (left: T, right: T) => number): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return compare(left, right);
}

/** As many of these as there is room for, in their order: no rule takes the room of another that finds less. */
export function fitting<F extends { readonly rule: string }>(ordered: readonly F[], room: number): readonly F[] {
  if (ordered.length <= room) return ordered;
  const numbers = [...countByRule(ordered).values()];
  let each = room;
  while (each > 1 && numbers.reduce((sum, number) => sum + Math.min(number, each), 0) > room) each -= 1;
  const taken = new Map<string, number>();
  const fits = ({ rule }: F): boolean => {
    const number = (taken.get(rule) ?? 0) + 1;
    taken.set(rule, number);
    return number <= each;
  };
  return ordered.filter(fits).slice(0, room);
}

function countByRule(findings: readonly { readonly rule: string }[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const { rule } of findings) numbers.set(rule, (numbers.get(rule) ?? 0) + 1);
  return numbers;
}

function leftOut(all: readonly PackageFinding[], rows: readonly PackageFinding[]): string {
  const listed = countByRule(rows);
  const counts = [...countByRule(all)].map(([code, count]) => [code, count - (listed.get(code) ?? 0)] as const);
  return counts.filter(([, count]) => count > 0).sort(([left], [right]) => compareBytes(left, right)).map(([code, count]) => `${code} ×${count}`).join(", ");
}

function row(finding: PackageFinding, shown: Shown): Finding {
  return { code: finding.rule, help: shown(finding.help), message: shown(messageOf(finding)), place: placeOf(finding, shown), severity: finding.severity };
}

/** The message on one line, with how many files have it and what the manifest says of it. */
function messageOf({ message, files, exception }: PackageFinding): string {
  const remarks = [
    ...(files === undefined ? [] : [`in ${files} files, first here`]),
    ...(exception === undefined ? [] : [`/exceptions/${exception} of the manifest asks a reviewer to look at it`]),
  ];
  return remarks.length === 0 ? message : `${message} (${remarks.join("; ")})`;
}

/** The file with line and column, or the pointer into the manifest. */
function placeOf({ file, place, pointer }: PackageFinding, shown: Shown): string {
  const at = place === undefined ? "" : `:${place.line}:${place.column}`;
  return file === undefined ? `${MANIFEST_FILE}${at} ${shown(pointer)}`.trimEnd() : `${shown(file)}${at}`;
}

function countsOf(counts: Review["findingCounts"]): string {
  const words = BY_WEIGHT.flatMap((severity) => {
    const number = counts[severity];
    return number === 0 ? [] : [counted(number, severity, `${severity}s`)];
  });
  return words.length === 0 ? "none" : words.join(", ");
}
