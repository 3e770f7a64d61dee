/** The digests of an artifact, recomputed. */

import { digestJson } from "../digest.js";
import type { IndexEntry } from "../generated/artifacts.js";
import { DESCRIPTOR_MEDIA_TYPES } from "../generated/forms.js";
import type { Descriptor, PackageArtifact, ReviewReport } from "../parts.js";
import type { Artifact } from "./kinds.js";

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
