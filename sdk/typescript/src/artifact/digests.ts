/** The digests of an artifact, recomputed. */

import { measuringJson } from "../digest.js";
import type { IndexEntry } from "../generated/artifacts.js";
import { DESCRIPTOR_MEDIA_TYPES } from "../generated/forms.js";
import type { Descriptor, PackageArtifact, ReviewReport } from "../parts.js";
import { finish, type Steps } from "../steps.js";
import type { Artifact } from "./kinds.js";

/** The digest of everything in a document but the digest itself and the parts that have digests of their own. */
export function documentDigest(artifact: object): Artifact["documentDigest"] {
  return finish(hashingDocument(artifact));
}

/** `documentDigest`, in steps. */
export function* hashingDocument(artifact: object): Steps<Artifact["documentDigest"]> {
  const { documentDigest: _, packageArtifact: __, reviewReport: ___, ...view } = artifact as { [member: string]: unknown };
  if (!Array.isArray(view["entries"])) return (yield* measuringJson(view)).digest;
  const entries = view["entries"].map(({ submission: _, ...entry }: IndexEntry) => entry);
  return (yield* measuringJson({ ...view, entries })).digest;
}

/** The descriptors of the parts that an artifact embeds, sorted by name. */
export function descriptorsOf(packageArtifact: PackageArtifact, report: ReviewReport | undefined): Descriptor[] {
  return finish(describing(packageArtifact, report));
}

/** `descriptorsOf`, in steps. */
export function* describing(packageArtifact: PackageArtifact, report: ReviewReport | undefined): Steps<Descriptor[]> {
  const parts: [Descriptor["name"], unknown][] = [["manifest", packageArtifact.manifest], ["package-artifact", packageArtifact]];
  if (report !== undefined) parts.push(["review-report", report]);
  const descriptors: Descriptor[] = [];
  for (const [name, part] of parts) {
    descriptors.push({ ...(yield* measuringJson(part)), mediaType: DESCRIPTOR_MEDIA_TYPES[name], name });
  }
  return descriptors;
}
