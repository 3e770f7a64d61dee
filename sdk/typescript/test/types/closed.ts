// What must not compile. Each expected error is one; if any of them compiles, the check fails.

import {
  type AcceptanceRequest,
  checkReceipt,
  createJournalFollower,
  createRegistryClient,
  type Decision,
  describePackage,
  type Digest,
  type FollowedEvent,
  type FollowerState,
  type GateStatusesEvidenced,
  type JournalEntry,
  type JournalRecord,
  type LifecycleResolution,
  parseArtifact,
  type Problem,
  type ProblemCode,
  PROBLEMS,
  type Receipt,
  resolveSdkDistributionLifecycleStage,
  type SigningRequest,
  type Stage,
  type Submission,
  verifyBundle,
  verifyWebhook,
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
const wrong: Digest = "md5:d41d8cd98f00b204e9800998ecf8427e";
void wrong;

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
  // A code of a later version is a text; those of this one are still told apart.
  const code: string = answer.problem.code;
  if (answer.problem.code === "digest-mismatch" || answer.problem.code === "quota-exceeded") void code;
  // @ts-expect-error a code is not known until it is looked at
  const known: ProblemCode = answer.problem.code;
  void known;
  // @ts-expect-error nor has it a row
  void PROBLEMS[answer.problem.code].help;
}
// @ts-expect-error a submission has no endpoint
client.evaluateSubmission(submission);
// @ts-expect-error an index is not sent where an acceptance request belongs
client.evaluateAcceptanceRequest(submission);

// Words are chosen from what was found out, never from a value as it came.
const noun: "validated artifact" | "validated artifact (review blocked)" | "showcase preview" | "blueprint" = describePackage(resolveSdkDistributionLifecycleStage({})).noun;
void noun;
// @ts-expect-error a raw value is not described
describePackage({});
// @ts-expect-error an artifact is not described, what parseArtifact says of it is
describePackage(submission);
// @ts-expect-error a hand-made resolution has no brand
describePackage({ brokenRules: [], installable: false, label: "", meaning: "", missingGates: [], nextStage: "signed-package", nextSteps: [], reviewed: "as-claimed", stage: "collection-entry" });
if (parsed.ok) {
  // @ts-expect-error an index speaks of several packages
  describePackage(parsed);
  for (const one of parsed.packages) describePackage(one);
  // @ts-expect-error no file of a package is ever read
  if (parsed.reviewed === "read") throw new Error();
  // @ts-expect-error nothing reaches the last stage
  if (parsed.packages[0]?.stage === "signed-package") throw new Error();
  // @ts-expect-error stages are not written
  parsed.packages[0]!.stage = "collection-entry";
}
const one = parseArtifact("{}", "svc-registry-submission");
if (one.ok) describePackage(one);

const stages: "blueprint" | "showcase-preview" | "review-report" | "collection-entry" = resolveSdkDistributionLifecycleStage({}).stage;
void stages;

// Records and receipts say no, and their outcome tells what else is there.
declare const record: JournalRecord;
declare const receipt: Receipt;
declare const entry: JournalEntry;
// @ts-expect-error no record of a yes
if (record.accepted === true) throw new Error();
// @ts-expect-error nothing signed is on record
if (record.signed === true) throw new Error();
// @ts-expect-error nor installable
if (record.installable === true) throw new Error();
// @ts-expect-error two outcomes, both a no
if (record.outcome === "accepted") throw new Error();
// @ts-expect-error a receipt holds a no
if (receipt.record.accepted === true) throw new Error();
// @ts-expect-error and so does what is listed
if (entry.record.installable === true) throw new Error();
// @ts-expect-error who asked is never proven
if (entry.attribution?.proven === true) throw new Error();
if (record.outcome === "denied") {
  const decisionId: Digest = record.decisionId;
  void decisionId;
  // @ts-expect-error nothing was refused
  record.problem.length;
} else {
  const code: string = record.problem;
  void code;
  // @ts-expect-error nothing was decided
  record.decisionId.length;
}
const checked = await checkReceipt(receipt, { publicKey: "" });
// @ts-expect-error what proves nothing has no record
checked.record;
if (checked.ok) {
  const sequence: number = checked.record.sequence;
  void sequence;
  // @ts-expect-error a proven record is a no
  if (checked.record.accepted === true) throw new Error();
}

// Documents have types, and none of them has room for a yes.
const contract = await client.contract();
if (contract.ok) {
  const paths: readonly string[] = contract.value.operations.map(({ path }) => path);
  void paths;
  // @ts-expect-error the contract declares a no
  if (contract.value.outcome.accepted === true) throw new Error();
  // @ts-expect-error in every flag
  if (contract.value.outcome.signed === true) throw new Error();
  // @ts-expect-error also this one
  if (contract.value.outcome.installable === true) throw new Error();
  // @ts-expect-error no endpoint is read
  if (contract.value.operations[0]?.method === "GET") throw new Error();
}
const ledger = await client.readiness();
if (ledger.ok) {
  const needed: readonly string[] = ledger.value.gates.map(({ evidence }) => evidence);
  void needed;
  // @ts-expect-error no gate is cleared
  if (ledger.value.gateStatuses["artifact-signing"] === "signed") throw new Error();
  // @ts-expect-error nor is one in the list
  if (ledger.value.gates[0]?.status === "verified") throw new Error();
  // @ts-expect-error a package is not called more than it is
  if (ledger.value.packagesAre[0] === "approved package") throw new Error();
}
const catalog = await client.lifecycle();
if (catalog.ok) {
  const labels: readonly string[] = catalog.value.stages.map(({ label }) => label);
  void labels;
  const missing: readonly string[] | undefined = catalog.value.stages[0]?.missingGates;
  void missing;
  // @ts-expect-error there is no stage after the last
  if (catalog.value.stages[0]?.id === "installed") throw new Error();
}
const page = await client.problem("digest-mismatch");
if (page.ok) {
  const help: string = page.value.help;
  void help;
  // @ts-expect-error a page states no flag
  page.value.accepted;
}
const limits = await client.limits();
if (limits.ok) {
  const most: number | undefined = limits.value[0]?.value;
  void most;
}
const ruleset = await client.ruleset();
if (ruleset.ok) {
  const severities: readonly ("error" | "blocker" | "warning" | "note")[] = ruleset.value.rules.map(({ severity }) => severity);
  void severities;
}
const running = await client.version();
if (running.ok) {
  const digest: Digest = running.value.ruleset.digest;
  void digest;
}
const links = await client.links({ signal: AbortSignal.timeout(1000) });
if (links.ok) {
  const methods: readonly ("GET" | "POST")[] = links.value.links.map(({ method }) => method);
  void methods;
}
const schema = await client.schema("submission");
if (schema.ok) {
  // @ts-expect-error a description has no flags of its own
  if (schema.value.accepted === true) throw new Error();
  // @ts-expect-error none at all
  if (schema.value.installable === true) throw new Error();
}

// The journal's calls are typed, and need keys as a list.
const insisting = createRegistryClient({ baseUrl: "https://registry.example", journal: { publicKeys: ["…"], require: true } });
// @ts-expect-error keys come as a list
createRegistryClient({ baseUrl: "https://registry.example", journal: { publicKeys: "…" } });
// @ts-expect-error without keys there is nothing to insist on
createRegistryClient({ baseUrl: "https://registry.example", journal: { require: true } });
const state = await insisting.journal.checkpoint();
if (state.ok) {
  const sizes: readonly number[] = [state.value.size, state.value.logSize];
  void sizes;
}
const found = await insisting.journal.entry(0);
if (found.ok && found.value !== undefined) {
  const outcome: "denied" | "refused" = found.value.record.outcome;
  void outcome;
  // @ts-expect-error an entry is a no
  if (found.value.record.accepted === true) throw new Error();
}
const kept = await insisting.journal.checkReceipt("{}");
// @ts-expect-error a kept receipt is a no
if (kept.ok && kept.value.record.signed === true) throw new Error();

// Events say no, and their kind tells what else is there.
declare const event: FollowedEvent;
if (event.kind === "record") {
  const waits: false = event.proven;
  void waits;
  // @ts-expect-error an event is a no
  if (event.record.accepted === true) throw new Error();
  // @ts-expect-error no event tells of an approval
  if (event.type === "registry.package.approved") throw new Error();
  // @ts-expect-error nothing to keep before it is proven
  event.state;
} else {
  const kept: FollowerState = event.state;
  void kept;
  // @ts-expect-error a range is not a record
  event.record;
}
const received = verifyWebhook({ body: new Uint8Array(), headers: new Headers(), secrets: ["…"] });
if (received.type === "registry.journal.records") {
  const places: readonly number[] = received.data.records.map(({ index }) => index);
  void places;
  // @ts-expect-error a delivered record is a no
  if (received.data.records[0]?.record.installable === true) throw new Error();
  // @ts-expect-error a range is no test
  received.data.endpoint;
} else {
  // @ts-expect-error a test holds no records
  received.data.records;
}
// @ts-expect-error a text is not what was signed
verifyWebhook({ body: "{}", headers: {}, secrets: ["…"] });
const follower = createJournalFollower({ publicKeys: ["…"] });
// @ts-expect-error a hand-made delivery has no brand
follower.delivery({ id: "msg_1", sentAt: 0, timestamp: "", type: "registry.test", data: { endpoint: "x" } });
await follower.delivery(received);
// @ts-expect-error keys come as a list
createJournalFollower({ publicKeys: "…" });
