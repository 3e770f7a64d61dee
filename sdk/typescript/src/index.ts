/** The vocabulary, readers and client of the svc package registry. Nothing here can say yes. */

export type { Artifact, ArtifactKind, ArtifactOf, ArtifactRow } from "./artifact/kinds.js";
export { type ParsedArtifact, parseArtifact, type RefusedArtifact } from "./artifact/parse.js";
export type { PackageFinding, ReviewedPackage } from "./artifact/reviewed.js";
export { type BrokenBundle, type BundleFile, type BundleFiles, type BundleFinding, edgeFault, type VerifiedBundle, verifyBundle } from "./bundle.js";
export { CanonicalFormError, canonicalize, toFile } from "./canonical.js";
export { type Answer, createRegistryClient, type RegistryClient, type RegistryClientOptions, type Sendable } from "./client/client.js";
export type { CallOptions } from "./client/connection.js";
export type { ApiContract, Description, LifecycleCatalog, Limit, Links, ProblemPage, ReadinessLedger, RegistryVersion, RulesetDocument } from "./client/documents.js";
export { type ClientErrorCode, ContractError, FailOpenError, RegistryClientError, UnexpectedAnswerError, type UnexpectedAnswerCode } from "./client/errors.js";
export type { Fetch } from "./client/exchange.js";
export type { RegistryClientHooks, RequestEvent, ResponseEvent, RetryEvent } from "./client/hooks.js";
export { digestBytes, digestJson, digestPackageArtifact, isDigest } from "./digest.js";
export type { Finding, ProblemCode, RuleCode } from "./finding.js";
export type * from "./generated/artifacts.js";
export { SDK_DISTRIBUTION_LIFECYCLE_CATALOG } from "./generated/catalog.js";
export { GATES } from "./generated/gates.js";
export { LIMITS } from "./generated/limits.js";
export { PROBLEMS } from "./generated/problems.js";
export { RULES, RULESET } from "./generated/rules.js";
export { ARTIFACTS, BASE_PATH, OPERATIONS } from "./generated/table.js";
export { type LifecycleResolution, resolveSdkDistributionLifecycleStage } from "./lifecycle.js";
export type { SignedCheckpoint } from "./receipt/checkpoint.js";
export type { DeniedRecord, JournalRecord, RefusedRecord } from "./receipt/record.js";
export { checkReceipt, type ProvenReceipt, type ReceiptCheck, type ReceiptCheckOptions, type ReceiptFault } from "./receipt/receipt.js";
export { blockerInWords } from "./review/blockers.js";
export { type JsonValue, parseStrictJson, type StrictDocument } from "./strict-json/strict-json.js";
export { CLOSED_OUTCOME, type Describable, describePackage, type PackageDescription, type PackageNoun } from "./wording.js";
