/** The parts of artifacts under the names that the code uses. */

export type {
  AppManifest as Manifest,
  Blocker,
  Capabilities,
  Check as CheckLine,
  Descriptor,
  Fact,
  FileEntry,
  Finding as ReportFinding,
  Gate,
  Owner,
  PackageArtifact,
  Place,
  ReviewReport,
  Ruleset,
  Severity,
  Verdict,
  Visibility,
} from "./generated/artifacts.js";
