/** The kinds of artifact: their types, their rows, and what they are derived from. */

import type {
  AcceptanceRequest,
  Index,
  InstallPolicy,
  PublisherVerification,
  ReviewEvidence,
  SigningRequest,
  Submission,
} from "../generated/artifacts.js";
import { ARTIFACTS } from "../generated/table.js";

/** Each kind with its type. */
export interface ArtifactOf {
  readonly "svc-registry-submission": Submission;
  readonly "svc-registry-index": Index;
  readonly "svc-registry-acceptance-request": AcceptanceRequest;
  readonly "svc-registry-publisher-verification": PublisherVerification;
  readonly "svc-registry-review-evidence": ReviewEvidence;
  readonly "svc-registry-signing-request": SigningRequest;
  readonly "svc-registry-install-policy": InstallPolicy;
}

/** A kind of artifact. */
export type ArtifactKind = keyof ArtifactOf;

/** Any artifact. */
export type Artifact = ArtifactOf[ArtifactKind];

/** Any artifact about one package. */
export type PackageDocument = Exclude<Artifact, Index>;

/** The row of one kind. */
export type ArtifactRow = (typeof ARTIFACTS)[number];

/** The row of a kind, when there is such a kind. */
export function rowOf(kind: ArtifactKind): ArtifactRow;
export function rowOf(kind: string): ArtifactRow | undefined;
export function rowOf(kind: string): ArtifactRow | undefined {
  return ARTIFACTS.find((row) => row.kind === kind);
}

/** The kind that a child is derived from; nothing for the submission and the index. */
export function parentOf(row: ArtifactRow): ArtifactKind | undefined {
  return "parent" in row ? row.parent : undefined;
}
