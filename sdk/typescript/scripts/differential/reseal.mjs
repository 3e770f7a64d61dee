// Makes every digest of a document fit what it holds. It shares no code with the package: an error there is not repeated.

import { createHash } from "node:crypto";

/** The RFC 8785 form of a value without fractions. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** The digest of a text. */
export function digestOf(text) {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** Reseals a document, and the submissions of an index first. */
export function reseal(document) {
  const entries = Array.isArray(document.entries) ? document.entries : [];
  entries.forEach((entry, index) => {
    const submission = entry?.submission;
    if (!isObject(submission)) return;
    resealOne(submission);
    const was = entry.submissionDigest;
    entry.submissionDigest = submission.documentDigest;
    const parent = Array.isArray(document.derivedFrom) ? document.derivedFrom[index] : undefined;
    if (isObject(parent) && parent.digest === was) parent.digest = submission.documentDigest;
  });
  resealOne(document);
}

function resealOne(document) {
  const parts = {
    manifest: document.packageArtifact?.manifest,
    "package-artifact": document.packageArtifact,
    "review-report": document.reviewReport,
  };
  for (const descriptor of Array.isArray(document.artifactDigests) ? document.artifactDigests : []) {
    const part = isObject(descriptor) && Object.hasOwn(parts, descriptor.name) ? parts[descriptor.name] : undefined;
    if (part === undefined) continue;
    const text = canonical(part);
    Object.assign(descriptor, { digest: digestOf(text), size: Buffer.byteLength(text) });
  }
  const view = Object.fromEntries(Object.entries(document).filter(([name]) => !APART.includes(name)));
  if (Array.isArray(view.entries)) view.entries = view.entries.map(withoutSubmission);
  document.documentDigest = digestOf(canonical(view));
}

/** What the digest of a document does not cover: itself, and the parts that have digests of their own. */
const APART = ["documentDigest", "packageArtifact", "reviewReport"];

function withoutSubmission(entry) {
  return isObject(entry) ? Object.fromEntries(Object.entries(entry).filter(([name]) => name !== "submission")) : entry;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
