/** The review report: a function of the manifest, the file table and the facts. */

import { digestBytes } from "../digest.js";
import { PERMISSION_RISKS } from "../generated/forms.js";
import { LIMITS } from "../generated/limits.js";
import type { Digest } from "../generated/artifacts.js";
import { MANIFEST_FILE } from "../package/manifest-file.js";
import { compareLists } from "../package/order.js";
import type {
  Capabilities,
  CheckLine,
  Fact,
  FileEntry,
  Manifest,
  PackageArtifact,
  ReportFinding,
  ReviewReport,
  Severity,
  Verdict,
} from "../parts.js";
import { canRun, isBlind, type Package, packageOf, type RuleFinding } from "../rules/package.js";
import type { Rules } from "../rules/rule-set.js";
import { findingsOf, packageRules } from "../rules/run.js";

/** The report on a package, from what its bytes told. */
export function reportOf(rules: Rules, { manifest, files }: PackageArtifact, facts: readonly Fact[]): ReviewReport {
  const given = packageOf(rules, manifest, files, facts);
  return reportOn(given, findingsOf(given));
}

/** The report on a package, from what the rules found in it. */
export function reportOn(given: Package, findings: readonly RuleFinding[]): ReviewReport {
  const counts = countsOf(findings);
  return {
    capabilities: capabilitiesOf(given.manifest),
    checks: checksOf(given, findings),
    counts,
    facts: given.facts ?? [],
    findings: listed(findings).map(reportFinding),
    inventory: inventoryOf(given.files ?? []),
    truncated: findings.length > LIMITS["report-findings"],
    verdict: verdictOf(counts),
  };
}

/** What a manifest asks for. */
export function capabilitiesOf({ dataCollection, entry, network, permissions }: Manifest): Capabilities {
  return {
    dataCollection,
    isolation: entry.isolation,
    origins: network.allow,
    permissions: permissions.map(({ permission }) => ({ permission, risk: PERMISSION_RISKS[permission] })),
  };
}

/** What a file table holds. */
export function inventoryOf(files: readonly FileEntry[]): ReviewReport["inventory"] {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { bytes: Math.min(bytes, LIMITS["json-integer"]), files: files.length };
}

/** What the numbers of findings come to. */
export function verdictOf({ blockers, notes, warnings }: ReviewReport["counts"]): Verdict {
  if (blockers > 0) return "blocked";
  return notes + warnings > 0 ? "validated-with-warnings" : "validated";
}

/** Findings in the order of a list: the heaviest first, so that the bound never cuts off what weighs more. */
export function inOrder(findings: readonly RuleFinding[]): RuleFinding[] {
  return [...findings].sort((left, right) => compareFindings(placeOf(left), placeOf(right)));
}

/** The findings that a report lists, in order: no rule takes the room of another that finds less. */
export function listed(findings: readonly RuleFinding[], room: number = LIMITS["report-findings"]): RuleFinding[] {
  const ordered = inOrder(findings);
  if (ordered.length <= room) return ordered;
  const numbers = [...numbersOf(findings).values()].map(({ number }) => number);
  const sum = (each: number) => numbers.reduce((sum, number) => sum + Math.min(number, each), 0);
  let each = room;
  while (each > 1 && sum(each) > room) each -= 1;
  const taken = new Map<string, number>();
  const fits = ({ rule }: RuleFinding) => {
    const number = (taken.get(rule) ?? 0) + 1;
    taken.set(rule, number);
    return number <= each;
  };
  return ordered.filter(fits).slice(0, room);
}

/** What a list of findings is sorted by. */
export type PlaceInList = Pick<ReportFinding, "severity" | "code" | "pointer"> & {
  readonly file?: string | undefined;
  readonly subject?: string | undefined;
};

const BY_WEIGHT: readonly Severity[] = ["error", "blocker", "warning", "note"];

/** Orders two findings of a list. */
export function compareFindings(left: PlaceInList, right: PlaceInList): number {
  const byWeight = BY_WEIGHT.indexOf(left.severity) - BY_WEIGHT.indexOf(right.severity);
  const texts = ({ code, file, pointer, subject }: PlaceInList) => [code, file, pointer, subject];
  return byWeight === 0 ? compareLists(texts(left), texts(right)) : byWeight;
}

/** The name of a finding that stays when lines move: a file has its path, because its row in the table may move. */
export function fingerprintOf({ code, file, pointer, subject }: Omit<PlaceInList, "severity">): Digest {
  const place = file === undefined ? ["", pointer] : [file, ""];
  return digestBytes(new TextEncoder().encode([code, ...place, subject ?? ""].join("\n")));
}

function placeOf(finding: RuleFinding): PlaceInList {
  const { rule, file, pointer, subject } = finding;
  return { severity: finding.severity, code: rule, file: otherFile(file), pointer, subject };
}

/** The file of a finding, when it is not the manifest. */
function otherFile(file: string | undefined): string | undefined {
  return file === MANIFEST_FILE ? undefined : file;
}

function reportFinding(finding: RuleFinding): ReportFinding {
  const { rule: code, exception, file, files, place, pointer, subject } = finding;
  const other = otherFile(file);
  return {
    code,
    ...(exception === undefined ? {} : { exception }),
    ...(other === undefined ? {} : { file: other }),
    ...(files === undefined ? {} : { files }),
    fingerprint: fingerprintOf({ code, file, pointer, subject }),
    ...(place === undefined ? {} : { place }),
    pointer,
    severity: finding.severity,
    ...(subject === undefined ? {} : { subject }),
  };
}

function checksOf(given: Package, findings: readonly RuleFinding[]): CheckLine[] {
  const numbers = numbersOf(findings);
  return packageRules(given.rules).map((code) => {
    const found = numbers.get(code);
    if (found !== undefined) return { code, count: found.number, result: found.isExcepted ? "excepted" : "failed" };
    return { code, result: canRun(code, given) && !isBlind(code, given) ? "passed" : "skipped" };
  });
}

/** How many findings each rule has, and whether the manifest excepts them all. */
function numbersOf(findings: readonly RuleFinding[]): ReadonlyMap<string, { readonly number: number; readonly isExcepted: boolean }> {
  const numbers = new Map<string, { number: number; isExcepted: boolean }>();
  for (const { rule, exception } of findings) {
    const { number, isExcepted } = numbers.get(rule) ?? { number: 0, isExcepted: true };
    numbers.set(rule, { number: number + 1, isExcepted: isExcepted && exception !== undefined });
  }
  return numbers;
}

function countsOf(findings: readonly RuleFinding[]): ReviewReport["counts"] {
  const of = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  return { blockers: of("blocker"), notes: of("note"), warnings: of("warning") };
}
