/** The parts of artifacts under the names that the code uses. */

export type {
  AppManifest as Manifest,
  Descriptor,
  Owner,
  PackageArtifact,
  ReviewReport,
  Ruleset,
  Visibility,
} from "../generated/artifacts.js";
