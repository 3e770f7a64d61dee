/** What a shape cannot tell: digests that recompute, parents of the right kind, members that follow from the package. */

import { canonicalize } from "../canonical.js";
import { digestJson, sameDigest } from "../digest.js";
import type { Draft, RuleCode } from "../finding.js";
import { DESCRIPTOR_MEDIA_TYPES, MEDIA_TYPES, OTHER_MEDIA_TYPE } from "../generated/forms.js";
import { LIMITS } from "../generated/limits.js";
import { RULESET } from "../generated/rules.js";
import type { Index, IndexEntry } from "../generated/artifacts.js";
import { join } from "../pointer.js";
import { compareBytes } from "../unicode.js";
import { bodyOf, type Facts } from "./body.js";
import { type Artifact, type PackageDocument, parentOf, rowOf } from "./kinds.js";
import type { Descriptor, PackageArtifact, ReviewReport, Ruleset } from "./parts.js";

/** Everything beyond shape that is wrong with an artifact. */
export function faultsOf(artifact: Artifact): Draft[] {
  const faults = artifact.kind === "svc-registry-index" ? indexFaults(artifact) : packageFaults(artifact);
  if (!sameDigest(artifact.documentDigest, documentDigest(artifact))) {
    faults.push(fault("SVC-B003", "/documentDigest", "the document digest does not recompute"));
  }
  return faults;
}

/** The digest of everything in a document but the digest itself and the parts that have digests of their own. */
export function documentDigest(artifact: object): Artifact["documentDigest"] {
  const { documentDigest: _, packageArtifact: __, reviewReport: ___, ...view } = artifact as { [member: string]: unknown };
  if (!Array.isArray(view["entries"])) return digestJson(view).digest;
  const entries = view["entries"].map(({ submission: _, ...entry }: IndexEntry) => entry);
  return digestJson({ ...view, entries }).digest;
}

/** The descriptors of the parts that an artifact embeds, sorted by name. */
export function descriptorsOf(packageArtifact: PackageArtifact, report: ReviewReport | undefined): Descriptor[] {
  const descriptor = (name: Descriptor["name"], part: unknown): Descriptor => ({
    ...digestJson(part),
    mediaType: DESCRIPTOR_MEDIA_TYPES[name],
    name,
  });
  const descriptors = [descriptor("manifest", packageArtifact.manifest), descriptor("package-artifact", packageArtifact)];
  if (report !== undefined) descriptors.push(descriptor("review-report", report));
  return descriptors;
}

/** Whether two values mean the same. */
export function sameMeaning(left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalize(left) === canonicalize(right);
}

/** What an artifact's members follow from. */
export function factsOf(artifact: PackageDocument): Facts {
  const { owner, packageArtifact, ruleset, visibility, artifactDigests } = artifact;
  const facts = { owner, packageArtifact, ruleset, visibility, artifactDigests };
  return "reviewReport" in artifact ? { ...facts, reviewReport: artifact.reviewReport } : facts;
}

function packageFaults(artifact: PackageDocument): Draft[] {
  const facts = factsOf(artifact);
  const { manifest } = artifact.packageArtifact;
  const faults = tableFaults(artifact.packageArtifact);
  faults.push(...descriptorFaults(artifact.artifactDigests, descriptorsOf(artifact.packageArtifact, facts.reviewReport)));
  if (artifact.package.id !== manifest.id || artifact.package.version !== manifest.version) {
    faults.push(fault("SVC-B010", "/package", "the package is not the one of the embedded manifest"));
  }
  const expected = parentOf(rowOf(artifact.kind));
  const named = artifact.derivedFrom.map((parent) => parent.kind);
  if (!sameMeaning(named, expected === undefined ? [] : [expected])) {
    faults.push(fault("SVC-B005", "/derivedFrom", "the parents are not those that this kind is derived from"));
  }
  faults.push(...rulesetFaults(artifact.ruleset));
  for (const [member, value] of Object.entries(bodyOf(artifact.kind, facts))) {
    if (!sameMeaning((artifact as unknown as { [member: string]: unknown })[member], value)) {
      faults.push(fault("SVC-B010", join("", member), "the member is not what follows from the package"));
    }
  }
  return faults;
}

/** The digest names the rules; with another version beside it, the two do not belong together. */
function rulesetFaults({ digest, version }: Ruleset): Draft[] {
  const message = "the version is not the one of the rule set that the digest names";
  const misnamed = digest === RULESET.digest && version !== RULESET.version;
  return misnamed ? [fault("SVC-B010", "/ruleset/version", message)] : [];
}

/** SHA-256 of no bytes at all. */
const DIGEST_OF_NOTHING = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * The file table is sorted by the bytes of its paths, each path once; each media type is the path's, and what is empty has
 * the digest of nothing.
 */
function tableFaults({ files }: PackageArtifact): Draft[] {
  const faults: Draft[] = [];
  const unsorted = files.findIndex((file, index) => index > 0 && compareBytes(files[index - 1]?.path ?? "", file.path) >= 0);
  if (unsorted >= 0) {
    const message = "files are sorted by the bytes of their paths, each path once";
    faults.push(fault("SVC-B015", `/packageArtifact/files/${unsorted}/path`, message));
  }
  files.forEach((file, index) => {
    if (file.mediaType !== mediaTypeOf(file.path)) {
      const message = "the media type is not the one that the path gives";
      faults.push(fault("SVC-B010", `/packageArtifact/files/${index}/mediaType`, message));
    }
    if ((file.size === 0) !== (file.digest === DIGEST_OF_NOTHING)) {
      const message = "a file of size 0 has the digest of nothing, and no other file has it";
      faults.push(fault("SVC-B010", `/packageArtifact/files/${index}/digest`, message));
    }
  });
  return faults;
}

/** The media type of a file by its path: told by the extension alone, so that every machine agrees. */
function mediaTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  const extension = name.slice(dot + 1).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const known = dot > 0 && Object.hasOwn(MEDIA_TYPES, extension);
  return known ? MEDIA_TYPES[extension as keyof typeof MEDIA_TYPES] : OTHER_MEDIA_TYPE;
}

function descriptorFaults(declared: readonly Descriptor[], recomputed: readonly Descriptor[]): Draft[] {
  if (declared.map(({ name }) => name).join() !== recomputed.map(({ name }) => name).join()) {
    const message = "the descriptors are not those of the embedded parts, in order of name";
    return [fault("SVC-B015", "/artifactDigests", message)];
  }
  return declared.flatMap((descriptor, index) => {
    const place = `/artifactDigests/${index}`;
    const own = recomputed[index] as Descriptor;
    const faults: Draft[] = [];
    if (!sameDigest(descriptor.digest, own.digest)) {
      faults.push(fault("SVC-B003", `${place}/digest`, `the digest of the ${own.name} does not recompute`));
    }
    if (descriptor.size !== own.size) {
      faults.push(fault("SVC-B003", `${place}/size`, `the size of the ${own.name} does not recompute`));
    }
    if (descriptor.mediaType !== own.mediaType) {
      faults.push(fault("SVC-B010", `${place}/mediaType`, "another media type"));
    }
    return faults;
  });
}

function indexFaults(index: Index): Draft[] {
  const faults = orderFaults(index.entries);
  if (index.entries.length === 0) faults.push(fault("SVC-B015", "/entries", "an index has at least one entry"));
  if (index.entries.length > LIMITS["index-entries"]) {
    faults.push(fault("SVC-B016", "/entries", "the index has too many entries"));
  }
  faults.push(...rulesetFaults(index.ruleset));
  index.entries.forEach((entry, position) => faults.push(...entryFaults(entry, `/entries/${position}`)));
  const parents = index.entries.map((entry) => ({ digest: entry.submissionDigest, kind: "svc-registry-submission" }));
  if (!sameMeaning(index.derivedFrom, parents)) {
    faults.push(fault("SVC-B005", "/derivedFrom", "the parents are not the submissions of the entries"));
  }
  return faults;
}

/** Entries are in order; no package version appears twice, so none can have two digests. */
function orderFaults(entries: readonly IndexEntry[]): Draft[] {
  return entries.flatMap(({ submission: right }, index) => {
    const left = entries[index - 1]?.submission;
    if (left === undefined) return [];
    const byId = compareBytes(left.package.id, right.package.id);
    const byVersion = compareBytes(left.package.version, right.package.version);
    if (byId === 0 && byVersion === 0) {
      return [fault("SVC-B008", `/entries/${index}`, "the package version appears twice")];
    }
    if ((byId || byVersion) < 0) return [];
    return [fault("SVC-B008", `/entries/${index}`, "entries are sorted by package id, version and owner")];
  });
}

function entryFaults({ submission, submissionDigest }: IndexEntry, place: string): Draft[] {
  const inner = packageFaults(submission).map((found) => ({ ...found, pointer: `${place}/submission${found.pointer}` }));
  const recomputed = documentDigest(submission);
  const message = "the submission's digest does not recompute";
  if (!sameDigest(submission.documentDigest, recomputed)) {
    inner.push(fault("SVC-B003", `${place}/submission/documentDigest`, message));
  }
  if (!sameDigest(submissionDigest, recomputed)) inner.push(fault("SVC-B003", `${place}/submissionDigest`, message));
  return inner;
}

function fault(rule: RuleCode, pointer: string, message: string): Draft {
  return { rule, pointer, message };
}
