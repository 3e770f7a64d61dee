// A project of somebody else: strict, with the package as it is published.

import api from "@svc/registry-sdk/hosted-registry-api-contract.json" with { type: "json" };
import ledger from "@svc/registry-sdk/hosted-registry-readiness-contract.json" with { type: "json" };
import catalog from "@svc/registry-sdk/lifecycle-catalog.json" with { type: "json" };
import {
  blockerInWords,
  describePackage,
  GATES,
  parseArtifact,
  PROBLEMS,
  resolveSdkDistributionLifecycleStage,
  type ReviewedPackage,
  SDK_DISTRIBUTION_LIFECYCLE_CATALOG,
  SVC_DEFAULT,
} from "@svc/registry-sdk";

const labels: string[] = SDK_DISTRIBUTION_LIFECYCLE_CATALOG.stages.map((stage) => stage.label);
const fromFile: string[] = catalog.stages.map((stage) => stage.label);
if (labels.join() !== fromFile.join()) throw new Error("two catalogs");
if (api.operations.length !== 6 || ledger.gates.length !== GATES.length) throw new Error("another contract");
const status: 422 = PROBLEMS["digest-mismatch"].status;
const severity: "error" = SVC_DEFAULT.rows["SVC-B006"].severity;

/** A card of a catalog, as somebody would write it. */
function card(reviewed: ReviewedPackage): string[] {
  const { sentence } = describePackage(reviewed);
  const findings = reviewed.findings.map(({ rule, message, file = "svc-app.json" }) => `${rule} ${file}: ${message}`);
  return [sentence, ...findings, ...reviewed.blockers.map((blocker) => blockerInWords(blocker).message)];
}
const { stage, nextSteps, missingGates } = resolveSdkDistributionLifecycleStage({});
if (stage !== "blueprint" || nextSteps.length !== 1 || missingGates.length !== 6) throw new Error("another floor");

const parsed = parseArtifact("{}");
console.log(parsed.ok ? parsed.packages.flatMap(card).join() : parsed.findings.map((finding) => finding.rule).join(), status, severity, labels.length);
