/** What a shape cannot tell: digests that recompute, parents of the right kind, members that follow from the package. */

import { sameMeaning } from "../canonical.js";
import { sameDigest } from "../digest.js";
import type { Draft, RuleCode } from "../finding.js";
import { Findings } from "../findings.js";
import type { Index, IndexEntry } from "../generated/artifacts.js";
import { MEDIA_TYPES, OTHER_MEDIA_TYPE } from "../generated/forms.js";
import { LIMITS } from "../generated/limits.js";
import type { Descriptor, PackageArtifact, Ruleset } from "../parts.js";
import { join } from "../pointer.js";
import type { Rules } from "../rules/rule-set.js";
import { finish, type Steps } from "../steps.js";
import { asciiLowercase, compareBytes } from "../unicode.js";
import { basisOf } from "./basis.js";
import { bodyOf } from "./body.js";
import { describing, hashingDocument } from "./digests.js";
import { type Artifact, type PackageDocument, parentOf, rowOf } from "./kinds.js";
import { firstUnsorted } from "../package/file-table.js";
import { asEntry, type Review, reviewAgain } from "./reviewed.js";

/** What an examination found. */
export interface Examined {
  /** What is wrong. */
  readonly faults: Findings;
  /** The packages that the artifact speaks of, as our own rules judge them. Without meaning beside a fault. */
  readonly packages: readonly Review[];
}

/** Examines everything beyond shape. */
export function examine(rules: Rules, artifact: Artifact): Examined {
  return finish(examining(rules, artifact));
}

/** `examine`, in steps. */
export function* examining(rules: Rules, artifact: Artifact): Steps<Examined> {
  const examined = yield* artifact.kind === "svc-registry-index"
    ? examineIndex(rules, artifact)
    : examinePackage(rules, artifact, LIMITS["report-findings"]);
  if (!sameDigest(artifact.documentDigest, yield* hashingDocument(artifact))) {
    examined.faults.push(fault("SVC-B003", "/documentDigest", "the document digest does not recompute"));
  }
  return examined;
}

/** `room` is for how many of the package's findings. */
function* examinePackage(rules: Rules, artifact: PackageDocument, room: number): Steps<Examined> {
  const basis = basisOf(artifact);
  const { manifest } = artifact.packageArtifact;
  const faults = tableFaults(rules, artifact.packageArtifact);
  yield;
  faults.add(descriptorFaults(artifact.artifactDigests, yield* describing(artifact.packageArtifact, basis.reviewReport)));
  if (artifact.package.id !== manifest.id || artifact.package.version !== manifest.version) {
    faults.push(fault("SVC-B010", "/package", "the package is not the one of the embedded manifest"));
  }
  const expected = parentOf(rowOf(artifact.kind));
  const named = artifact.derivedFrom.map((parent) => parent.kind);
  if (!sameMeaning(named, expected === undefined ? [] : [expected])) {
    faults.push(fault("SVC-B005", "/derivedFrom", "the parents are not those that this kind is derived from"));
  }
  faults.add(rulesetFaults(rules, artifact.ruleset));
  for (const [member, value] of Object.entries(bodyOf(artifact.kind, basis))) {
    if (!sameMeaning((artifact as unknown as { [member: string]: unknown })[member], value)) {
      // Blockers are the review's word.
      const rule = member === "blockers" ? "SVC-B013" : "SVC-B010";
      faults.push(fault(rule, join("", member), "the member is not what follows from the package"));
    }
  }
  // Rules look files up in the table, which is of no use in another order.
  if (firstUnsorted(artifact.packageArtifact.files) !== undefined) return { faults, packages: [] };
  const again = yield* reviewAgain(rules, basis, room);
  faults.add(again.faults);
  return { faults, packages: [again.review] };
}

/** The digest names the rules; with another version beside it, the two do not belong together. */
function rulesetFaults({ ruleset }: Rules, { digest, version }: Ruleset): Draft[] {
  const message = "the version is not the one of the rule set that the digest names";
  const misnamed = digest === ruleset.digest && version !== ruleset.version;
  return misnamed ? [fault("SVC-B010", "/ruleset/version", message)] : [];
}

/** SHA-256 of no bytes at all. */
const DIGEST_OF_NOTHING = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * The file table is sorted by the bytes of its paths, each path once; each media type is the path's, and what is empty has
 * the digest of nothing.
 */
function tableFaults(rules: Rules, { files }: PackageArtifact): Findings {
  const faults = new Findings(rules);
  const unsorted = firstUnsorted(files);
  if (unsorted !== undefined) {
    const message = "files are sorted by the bytes of their paths, each path once";
    faults.push(fault("SVC-B015", `/packageArtifact/files/${unsorted}/path`, message));
  }
  files.forEach((file, index) => {
    if (file.mediaType === mediaTypeOf(file.path)) return;
    const message = "the media type is not the one that the path gives";
    faults.push(fault("SVC-B010", `/packageArtifact/files/${index}/mediaType`, message));
  });
  files.forEach((file, index) => {
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
  const extension = asciiLowercase(name.slice(dot + 1));
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

function* examineIndex(rules: Rules, index: Index): Steps<Examined> {
  const faults = Findings.of(rules, orderFaults(index.entries));
  if (index.entries.length === 0) faults.push(fault("SVC-B015", "/entries", "an index has at least one entry"));
  if (index.entries.length > LIMITS["index-entries"]) {
    faults.push(fault("SVC-B016", "/entries", "the index has too many entries"));
  }
  faults.add(rulesetFaults(rules, index.ruleset));
  // The packages share what one document has room for.
  const room = Math.max(Math.ceil(LIMITS["report-findings"] / Math.max(index.entries.length, 1)), ENTRY_FINDINGS);
  const packages: Review[] = [];
  for (const [position, entry] of index.entries.entries()) {
    const examined = yield* examineEntry(rules, entry, `/entries/${position}`, room);
    faults.append(examined.faults);
    packages.push(...examined.packages);
    yield;
  }
  const parents = index.entries.map((entry) => ({ digest: entry.submissionDigest, kind: "svc-registry-submission" }));
  if (!sameMeaning(index.derivedFrom, parents)) {
    faults.push(fault("SVC-B005", "/derivedFrom", "the parents are not the submissions of the entries"));
  }
  return { faults, packages };
}

/** Entries are in order; no package version is in one collection twice, so none can have two digests there. */
function orderFaults(entries: readonly IndexEntry[]): Draft[] {
  return entries.flatMap((entry, index) => {
    const before = entries[index - 1];
    const order = before === undefined ? -1 : compareKeys(keyOf(before), keyOf(entry));
    if (order < 0) return [];
    const message =
      order === 0
        ? "the package version is in this collection twice"
        : "entries are sorted by package id, version, scope type and scope id";
    return [fault("SVC-B008", `/entries/${index}`, message)];
  });
}

/** What tells entries apart and orders them, by bytes: a version is in a collection once, and may be in several. */
function keyOf({ scope, submission }: IndexEntry): readonly string[] {
  return [submission.package.id, submission.package.version, scope.type, scope.id];
}

function compareKeys(left: readonly string[], right: readonly string[]): number {
  const differing = left.findIndex((part, at) => part !== right[at]);
  return differing < 0 ? 0 : compareBytes(left[differing] ?? "", right[differing] ?? "");
}

/** How many findings of an entry are kept whatever the number of entries. */
const ENTRY_FINDINGS = 10;

function* examineEntry(rules: Rules, { submission, submissionDigest }: IndexEntry, place: string, room: number): Steps<Examined> {
  const inner = yield* examinePackage(rules, submission, room);
  const faults = new Findings(rules);
  faults.append(inner.faults, (found) => ({ ...found, pointer: `${place}/submission${found.pointer}` }));
  const recomputed = yield* hashingDocument(submission);
  const message = "the submission's digest does not recompute";
  if (!sameDigest(submission.documentDigest, recomputed)) {
    faults.push(fault("SVC-B003", `${place}/submission/documentDigest`, message));
  }
  if (!sameDigest(submissionDigest, recomputed)) faults.push(fault("SVC-B003", `${place}/submissionDigest`, message));
  return { faults, packages: inner.packages.map(asEntry) };
}

function fault(rule: RuleCode, pointer: string, message: string): Draft {
  return { rule, pointer, message };
}
