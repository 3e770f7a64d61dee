// What must not compile. Each expected error is one; if any of them compiles, the check fails.

import {
  type AcceptanceRequest,
  createRegistryClient,
  type Decision,
  describePackage,
  type Digest,
  type GateStatusesEvidenced,
  type LifecycleResolution,
  parseArtifact,
  type Problem,
  resolveSdkDistributionLifecycleStage,
  type SigningRequest,
  type Stage,
  type Submission,
  verifyBundle,
} from "@svc/registry-sdk";

declare const submission: Submission;
declare const decision: Decision;
declare const problem: Problem;
declare const signing: SigningRequest;
declare const statuses: GateStatusesEvidenced;
declare const resolution: LifecycleResolution;

// A yes has no value.
// @ts-expect-error nothing is accepted
if (submission.accepted === true) throw new Error();
// @ts-expect-error nothing is signed
if (submission.signed === true) throw new Error();
// @ts-expect-error nothing is installable
if (decision.installable === true) throw new Error();
// @ts-expect-error a problem is closed too
if (problem.accepted === true) throw new Error();
// @ts-expect-error an entry is never installable
if (resolution.installable === true) throw new Error();
// @ts-expect-error the one outcome is denied
if (decision.outcome === "accepted") throw new Error();
// @ts-expect-error there is no word for done
if (statuses["artifact-signing"] === "signed") throw new Error();
// @ts-expect-error nothing reaches the last stage
if (resolution.stage === "signed-package") throw new Error();
// @ts-expect-error the one status word of a request
if ((submission as unknown as AcceptanceRequest).status === "accepted") throw new Error();
// @ts-expect-error the list of signatures is empty
signing.envelope.signatures[0];

// Nothing is changed afterwards.
// @ts-expect-error a flag is not written
submission.accepted = false;
// @ts-expect-error a yes is not written
submission.installable = true as boolean;
// @ts-expect-error gates are not cleared
statuses["publisher-verification"] = "verified";

// Behind a flag there is nothing.
if (submission.accepted) {
  const nothing: never = submission.accepted;
  void nothing;
}

// Results are told apart before they are used.
const parsed = parseArtifact("{}", "svc-registry-index");
// @ts-expect-error a refused document has no artifact
parsed.artifact;
if (parsed.ok) {
  const entries: readonly { readonly submissionDigest: Digest }[] = parsed.artifact.entries;
  void entries;
  // @ts-expect-error an index is no submission
  parsed.artifact.reviewReport;
} else {
  const codes: readonly string[] = parsed.findings.map((finding) => finding.rule);
  void codes;
}
// @ts-expect-error there is no such kind
parseArtifact("{}", "svc-registry-approval");
// @ts-expect-error a bundle has seven files, and this is none of them
verifyBundle({ "svc-registry-approval.json": "{}" });

// A mistyped stage is told, and the right one is suggested.
// @ts-expect-error Did you mean '"showcase-preview"'?
const stage: Stage = "showcase-previw";
void stage;

// A digest is spelled with its algorithm.
// @ts-expect-error no other algorithm
const digest: Digest = "md5:d41d8cd98f00b204e9800998ecf8427e";
void digest;

const client = createRegistryClient({ baseUrl: "https://registry.example" });
const answer = await client.validateIndex("{}");
if (answer.ok) {
  const denied: "denied" = answer.value.outcome;
  void denied;
  // @ts-expect-error a value is not a problem
  answer.problem;
} else {
  const refused: false = answer.problem.accepted;
  void refused;
}
// @ts-expect-error a submission has no endpoint
client.evaluateSubmission(submission);
// @ts-expect-error an index is not sent where an acceptance request belongs
client.evaluateAcceptanceRequest(submission);

// Words are chosen from what was found out, never from a value as it came.
const noun: "validated artifact" | "showcase preview" | "blueprint" = describePackage(resolveSdkDistributionLifecycleStage({})).noun;
void noun;
// @ts-expect-error a raw value is not described
describePackage({});
// @ts-expect-error an artifact is not described, what parseArtifact says of it is
describePackage(submission);
// @ts-expect-error a hand-made resolution has no brand
describePackage({ brokenRules: [], installable: false, label: "", meaning: "", missingGates: [], nextStage: "signed-package", nextSteps: [], stage: "collection-entry" });
if (parsed.ok) {
  // @ts-expect-error an index speaks of several packages
  describePackage(parsed);
  for (const one of parsed.packages) describePackage(one);
  const recomputed: "whole" = parsed.recomputed;
  void recomputed;
  // @ts-expect-error nothing reaches the last stage
  if (parsed.packages[0]?.stage === "signed-package") throw new Error();
  // @ts-expect-error stages are not written
  parsed.packages[0]!.stage = "collection-entry";
}
const one = parseArtifact("{}", "svc-registry-submission");
if (one.ok) describePackage(one);

const stages: "blueprint" | "showcase-preview" | "review-report" | "collection-entry" = resolveSdkDistributionLifecycleStage({}).stage;
void stages;
