// What this package answers, beside what the judge answers. A finding is `[rule, pointer, message]`, one of a package
// `[rule, file, pointer, subject, severity, files, exception]`.

import { canonicalize, checkReceipt, parseArtifact, parseStrictJson, resolveSdkDistributionLifecycleStage, verifyBundle } from "../../dist/index.js";
import { hex } from "../../dist/digest.js";
import { openCheckpoint, readKeys } from "../../dist/receipt/checkpoint.js";
import { hasForm, holds, membersOf } from "../../dist/receipt/record.js";

/** The longest record. */
const RECORD_BYTES = 4096;

/** Nothing when both agree, or in what they differ. */
export async function disagreement(question, judged) {
  const [left, right] = [await answer(question), expected(question, judged)].map((it) => JSON.stringify(sortedMembers(it)));
  return left === right ? undefined : { mine: left.slice(0, 2000), theirs: right.slice(0, 2000) };
}

function answer(question) {
  if (question.receipt !== undefined) return receiptAnswer(question);
  if (question.checkpoint !== undefined) return checkpointAnswer(question);
  if (question.record !== undefined) return { record: isRecord(question.record) };
  if (question.entry !== undefined) return resolveSdkDistributionLifecycleStage(question.entry);
  if (question.bundle !== undefined) return bundleAnswer(question.bundle);
  const parsed = parseArtifact(question.document, question.kind);
  if (!parsed.ok) return { findings: parsed.findings.map(row), problem: parsed.problem, total: parsed.findingCount, warnings: [] };
  const { digest, packages, warnings } = parsed;
  return { digest, findings: [], packages: packages.map(packageAnswer), warnings: warnings.map(row) };
}

function packageAnswer({ blockers, findings, findingCounts, package: id, reviewed, stage, verdict }) {
  const found = findings.map(({ rule, file = null, pointer, subject = null, severity, files = 1, exception = null }) => [rule, file, pointer, subject, severity, files, exception]);
  return sortedMembers({ blockers: blockers.map(sortedMembers), findings: found, package: id, reviewed, stage, total: Object.values(findingCounts), verdict });
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

async function receiptAnswer({ receipt, keys }) {
  const checked = await checkReceipt(receipt, { publicKey: keys });
  if (!checked.ok) return { fault: checked.fault };
  const { note: _, ...state } = checked.checkpoint;
  return { ...state, withAnswer: checked.withAnswer };
}

async function checkpointAnswer({ checkpoint, keys }) {
  const known = readKeys(keys);
  const opened = await openCheckpoint(checkpoint, known, known[0].name);
  if (typeof opened === "string") return { fault: opened };
  const { note: _, root, ...rest } = opened;
  return { ...rest, rootHash: `sha256:${hex(root)}` };
}

/** Whether some bytes are a record as the log keeps it. */
function isRecord(bytes) {
  const parsed = parseStrictJson(bytes);
  const record = parsed.ok ? membersOf(parsed.value) : undefined;
  if (record === undefined || bytes.length > RECORD_BYTES || !hasForm(record) || !holds(record)) return false;
  return canonicalize(record) === new TextDecoder().decode(bytes);
}

const row = ({ rule, pointer, message }) => [rule, pointer, message];
const sortedMembers = (object) => Object.fromEntries(Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1)));
