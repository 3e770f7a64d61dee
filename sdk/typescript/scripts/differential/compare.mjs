// What this package answers, beside what the judge answers. A finding is `[rule, pointer, message]`, one of a package
// `[rule, file, pointer, subject]`.

import { parseArtifact, resolveSdkDistributionLifecycleStage, verifyBundle } from "../../dist/index.js";

/** Nothing when both agree, or in what they differ. */
export function disagreement(question, judged) {
  const [left, right] = [answer(question), expected(question, judged)].map((it) => JSON.stringify(sortedMembers(it)));
  return left === right ? undefined : { mine: left.slice(0, 2000), theirs: right.slice(0, 2000) };
}

function answer(question) {
  if (question.entry !== undefined) return resolveSdkDistributionLifecycleStage(question.entry);
  if (question.bundle !== undefined) return bundleAnswer(question.bundle);
  const parsed = parseArtifact(question.document, question.kind);
  if (!parsed.ok) return { findings: parsed.findings.map(row), problem: parsed.problem, warnings: [] };
  const { digest, packages, warnings } = parsed;
  return { digest, findings: [], packages: packages.map(packageAnswer), warnings: warnings.map(row) };
}

function packageAnswer({ blockers, findings, package: id, reviewed, stage, verdict }) {
  const found = findings.map(({ rule, file = null, pointer, subject = null }) => [rule, file, pointer, subject]);
  return sortedMembers({ blockers: blockers.map(sortedMembers), findings: found, package: id, reviewed, stage, verdict });
}

function bundleAnswer(files) {
  const bundle = verifyBundle(files);
  if (bundle.ok) return { edge: null, findings: [] };
  const findings = bundle.findings.map((finding) => [finding.file, row(finding)]);
  return { edge: bundle.brokenEdge === undefined ? null : [bundle.brokenEdge.parent, bundle.brokenEdge.child], findings };
}

function expected(question, judged) {
  if (question.bundle !== undefined) return { edge: null, ...judged };
  return judged;
}

const row = ({ rule, pointer, message }) => [rule, pointer, message];
const sortedMembers = (object) => Object.fromEntries(Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1)));
