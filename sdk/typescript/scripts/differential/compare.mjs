// What this package answers, beside what the judge answers. A finding is `[rule, pointer, message]`.

import { parseArtifact, parseStrictJson, resolveSdkDistributionLifecycleStage, verifyBundle } from "../../dist/index.js";

/** The rule that this package does not look for. */
const NOT_FOUND = "SVC-B013";

/** Nothing when both agree, or in what they differ. */
export function disagreement(question, judged) {
  const [mine, theirs] = answers(question, judged);
  const [left, right] = [JSON.stringify(mine), JSON.stringify(theirs)];
  return left === right ? undefined : { mine: left.slice(0, 2000), theirs: right.slice(0, 2000) };
}

function answers(question, judged) {
  if (question.entry !== undefined) return entryAnswers(question.entry, judged);
  if (question.bundle !== undefined) return bundleAnswers(question.bundle, judged);
  return documentAnswers(question, judged);
}

function documentAnswers({ kind, document }, judged) {
  const parsed = parseArtifact(document, kind);
  const theirs = rows(judged.findings);
  // A document that only the package rules refuse is beyond this package; everything else must be the same.
  const only = judged.findings.length > 0 && theirs.length === 0;
  const partly = judged.findings.some(([rule]) => rule === NOT_FOUND);
  return [
    {
      valid: parsed.ok,
      findings: parsed.ok ? [] : rows(parsed.findings.map(row)),
      digest: parsed.ok && !only ? parsed.digest : undefined,
      warnings: parsed.ok && !only ? rows(parsed.warnings.map(row)) : undefined,
      problem: parsed.ok || partly ? undefined : parsed.problem,
    },
    {
      valid: theirs.length === 0,
      findings: theirs,
      digest: only ? undefined : judged.digest,
      warnings: judged.digest !== undefined && !only ? rows(judged.warnings) : undefined,
      problem: partly ? undefined : judged.problem,
    },
  ];
}

function bundleAnswers(files, judged) {
  const bundle = verifyBundle(files);
  const mine = bundle.ok ? [] : bundle.findings.map((finding) => [finding.file, ...row(finding)]);
  const theirs = judged.findings.map(([file, finding]) => [file, ...finding]).filter(([, rule]) => rule !== NOT_FOUND);
  // Where only the package rules refused a file, the judge did not come to the edges.
  if (judged.findings.length > 0 && theirs.length === 0) return [true, true];
  const edge = bundle.ok || bundle.brokenEdge === undefined ? null : [bundle.brokenEdge.parent, bundle.brokenEdge.child];
  return [
    { findings: sorted(mine), edge },
    { findings: sorted(theirs), edge: judged.edge ?? null },
  ];
}

function entryAnswers(entry, judged) {
  const parsed = parseStrictJson(entry);
  if (!parsed.ok) return [rows(parsed.findings.map(row)), rows(judged.findings ?? [])];
  return [sortedMembers(resolveSdkDistributionLifecycleStage(parsed.value)), sortedMembers(judged)];
}

const row = ({ rule, pointer, message }) => [rule, pointer, message];
const rows = (findings) => sorted(findings.filter(([rule]) => rule !== NOT_FOUND));
const sorted = (list) => list.map((item) => JSON.stringify(item)).sort();
const sortedMembers = (object) => Object.fromEntries(Object.entries(object).sort());
