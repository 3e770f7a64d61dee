/** The review report: a function of the manifest, the file table and the facts. */

import { digestBytes } from "../digest.js";
import { PERMISSION_RISKS } from "../generated/forms.js";
import { LIMITS } from "../generated/limits.js";
import { RULES } from "../generated/rules.js";
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
import { canRun, type Package, packageOf } from "../rules/package.js";
import { findingsOf, PACKAGE_RULES, type RuleFinding } from "../rules/run.js";

/** The report on a package, from what its bytes told. */
export function reportOf({ manifest, files }: PackageArtifact, facts: readonly Fact[]): ReviewReport {
  const given = packageOf(manifest, files, facts);
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
    findings: inOrder(findings).slice(0, LIMITS["report-findings"]).map(reportFinding),
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

function placeOf({ rule, file, pointer, subject }: RuleFinding): PlaceInList {
  return { severity: RULES[rule].severity, code: rule, file: otherFile(file), pointer, subject };
}

/** The file of a finding, when it is not the manifest. */
function otherFile(file: string | undefined): string | undefined {
  return file === MANIFEST_FILE ? undefined : file;
}

function reportFinding({ rule: code, file, place, pointer, subject }: RuleFinding): ReportFinding {
  const other = otherFile(file);
  return {
    code,
    ...(other === undefined ? {} : { file: other }),
    fingerprint: fingerprintOf({ code, file, pointer, subject }),
    ...(place === undefined ? {} : { place }),
    pointer,
    severity: RULES[code].severity,
    ...(subject === undefined ? {} : { subject }),
  };
}

function checksOf(given: Package, findings: readonly RuleFinding[]): CheckLine[] {
  const failed = new Set(findings.map(({ rule }) => rule));
  return PACKAGE_RULES.map((code) => {
    if (failed.has(code)) return { code, result: "failed" };
    return { code, result: canRun(code, given) ? "passed" : "skipped" };
  });
}

function countsOf(findings: readonly RuleFinding[]): ReviewReport["counts"] {
  const of = (severity: Severity) => findings.filter(({ rule }) => RULES[rule].severity === severity).length;
  return { blockers: of("blocker"), notes: of("note"), warnings: of("warning") };
}
