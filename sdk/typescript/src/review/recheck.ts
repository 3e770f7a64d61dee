/** Computes a declared report again and tells where it differs. */

import { sameMeaning } from "../canonical.js";
import type { Draft } from "../finding.js";
import { LIMITS } from "../generated/limits.js";
import { areOurs, areSound, isPlace } from "../package/fact.js";
import { rowOf } from "../package/file-table.js";
import type { PackageArtifact, ReportFinding, ReviewReport, Severity } from "../parts.js";
import type { RuleFinding } from "../rules/package.js";
import { compareBytes } from "../unicode.js";
import { capabilitiesOf, compareFindings, fingerprintOf, inventoryOf, verdictOf } from "./report.js";

/** Where a report by our own rules differs from the one that they give over the same manifest, file table and facts. */
export function mismatches(report: ReviewReport, own: ReviewReport, artifact: PackageArtifact): Draft[] {
  const same = (member: keyof ReviewReport) => sameMeaning(report[member], own[member]);
  const isTold = areSound(report.facts, artifact.files) && areOurs(report.facts, artifact);
  return differing({
    capabilities: same("capabilities"),
    checks: same("checks"),
    counts: same("counts"),
    facts: isTold,
    findings: same("findings"),
    inventory: same("inventory"),
    truncated: same("truncated"),
    verdict: same("verdict"),
  });
}

/** Where a report, by whatever rules, contradicts itself or its package. */
export function contradictions(report: ReviewReport, { files, manifest }: PackageArtifact): Draft[] {
  const { findings } = report;
  const isThere = ({ file }: ReportFinding) => file === undefined || rowOf(files, file) !== undefined;
  const sorted = findings.every((right, at) => at === 0 || compareFindings(findings[at - 1] as ReportFinding, right) < 0);
  return differing({
    capabilities: sameMeaning(report.capabilities, capabilitiesOf(manifest)),
    checks: checksAgree(report),
    counts: countsAgree(report),
    facts: areSound(report.facts, files),
    findings: sorted && findings.length <= LIMITS["report-findings"] && findings.every(isThere) && findings.every(isSound),
    inventory: sameMeaning(report.inventory, inventoryOf(files)),
    verdict: report.verdict === verdictOf(report.counts),
  });
}

/** A package with an error has no artifact at all; whatever says otherwise was not made by the rules. */
export function refusals(findings: readonly RuleFinding[]): Draft[] {
  const errors = findings.filter((finding) => finding.severity === "error");
  const codes = [...new Set(errors.map(({ rule }) => rule))].sort();
  return codes.map((code) => ({ rule: "SVC-B013", pointer: "", message: `the rules refuse the package (${code})` }));
}

function differing(members: { readonly [member: string]: boolean }): Draft[] {
  const names = Object.keys(members).filter((member) => members[member] !== true);
  return names.map((name) => ({ rule: "SVC-B013", pointer: `/${name}`, message: `\`${name}\` is not what the rules give` }));
}

/** Whether rules, of whatever set, can have said it. Errors are never in a report: they leave no package to report on. */
function isSound(finding: ReportFinding): boolean {
  const { severity, file, place, fingerprint } = finding;
  const isPlaced = place === undefined || (file !== undefined && isPlace(place));
  return severity !== "error" && isPlaced && fingerprint === fingerprintOf(finding);
}

/**
 * Each rule once and in order; a rule that found something says how often and has not passed, and the list shows it, unless
 * it was cut.
 */
function checksAgree({ checks, findings, truncated }: ReviewReport): boolean {
  if (checks.length > LIMITS["report-checks"] || findings.length > LIMITS["report-findings"]) return false;
  const listed = new Set(findings.map(({ code }) => code));
  const run = new Set(checks.map(({ code }) => code));
  const inOrder = checks.every(({ code }, at) => at === 0 || compareBytes(checks[at - 1]?.code ?? "", code) < 0);
  const results = checks.every(({ code, count, result }) => {
    const found = result === "failed" || result === "excepted";
    const isCounted = found ? count !== undefined && count > 0 : count === undefined;
    return isCounted && (found === listed.has(code) || (found && truncated));
  });
  return checks.length > 0 && inOrder && results && [...listed].every((code) => run.has(code));
}

/** The numbers are those of the list, or more where it was cut. */
function countsAgree({ counts, findings, truncated }: ReviewReport): boolean {
  const of = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const { blockers, notes, warnings } = counts;
  const pairs: [number, number][] = [[blockers, of("blocker")], [warnings, of("warning")], [notes, of("note")]];
  if (!truncated) return pairs.every(([counted, listed]) => counted === listed);
  return (
    findings.length <= LIMITS["report-findings"] &&
    blockers + warnings + notes > findings.length &&
    pairs.every(([counted, listed]) => counted >= listed)
  );
}
