/**
 * The lifecycle catalog and the one function that tells where an entry stands.
 *
 * A stage follows from evidence that was checked here, and from nothing else: no label that claims a stage is ever read.
 * What is missing is not there yet; what is there and does not hold puts the whole entry on the floor. No evidence form
 * exists for the last stage, so nothing resolves to it: `ReachedStage` has no value for it.
 */

import { examine } from "./artifact/check.js";
import { parsingDocument } from "./artifact/parse.js";
import { rowOf } from "./artifact/kinds.js";
import { keptOutBy, leastReviewed, type ReviewedPackage } from "./artifact/reviewed.js";
import { ALL_GATES, MISSING_GATES } from "./closed.js";
import { isOpenClaim, type RuleCode } from "./finding.js";
import type { Blocker, ClaimedDepth, Gate, ReachedStage, Submission, Verdict } from "./generated/artifacts.js";
import { SDK_DISTRIBUTION_LIFECYCLE_CATALOG } from "./generated/catalog.js";
import { LIMITS } from "./generated/limits.js";
import { SHAPES } from "./generated/shapes.js";
import { type Made, made } from "./made.js";
import { isOpenHostMember } from "./open-claim.js";
import type { Manifest } from "./parts.js";
import { readable } from "./plain-data.js";
import { packageOf } from "./rules/package.js";
import { type Rules, SVC_DEFAULT } from "./rules/rule-set.js";
import { findingsOf } from "./rules/run.js";
import { explain, explainManifest, openFlags } from "./shape.js";
import { finish } from "./steps.js";
import { lacksForListing, type StageEvidence, stageOf } from "./stage.js";
import { type Document, get, type Node, nodeAt, read, textOf, valueOf } from "./strict-json/tree.js";
import { utf8Length } from "./unicode.js";

/** A stage of the catalog. */
export type Stage = (typeof SDK_DISTRIBUTION_LIFECYCLE_CATALOG)["stages"][number]["id"];

/** Where an entry stands. */
export interface LifecycleResolution extends Made {
  /** The rules that a part of the entry breaks. It then stands on the floor. */
  readonly brokenRules: readonly RuleCode[];
  /** Never installable. */
  readonly installable: false;
  /** The stage's name for people. */
  readonly label: string;
  /** What the stage means. */
  readonly meaning: string;
  /** The gates that are missing: the artifact hash too, unless digests were recomputed and match. */
  readonly missingGates: readonly Gate[];
  /** The next stage. There always is one. */
  readonly nextStage: Stage;
  /** What the next stage takes, in words for people. */
  readonly nextSteps: readonly string[];
  /** What the stage is based on. No file of a package was seen. */
  readonly reviewed: ClaimedDepth;
  /** The stage. */
  readonly stage: ReachedStage;
  /** What our own rules say of the package, where its document was checked. A blocked one is never shown without it. */
  readonly verdict?: Verdict;
}

/**
 * Tells where a collection entry stands. It may lack any part, and have members of the host around it. A manifest, a
 * submission or an index of one entry is taken as it is, too. A string or bytes are its JSON text, everything else is read as
 * plain data, and nothing in it is run.
 */
export function resolveSdkDistributionLifecycleStage(entry: unknown, rules: Rules = SVC_DEFAULT): LifecycleResolution {
  return resolve(statusOf(rules, entry));
}

/** Tells where a package of a checked document stands. */
export function resolveReviewed(reviewed: ReviewedPackage): LifecycleResolution {
  return resolve(statusOfReviewed(reviewed));
}

/** How much of an entry is there and holds. */
type EntryStatus =
  | { readonly is: "broken"; readonly rules: readonly RuleCode[] }
  | { readonly is: "no-manifest" | "part-of-manifest" | "no-icon" | "manifest" }
  | { readonly is: "submission"; readonly blockers: readonly Blocker[]; readonly evidence: StageEvidence; readonly reviewed: ClaimedDepth; readonly verdict: Verdict | undefined };

const ENTRY_MEMBERS: readonly string[] = ["scope", "submission", "submissionDigest"];
const SUBMISSION = "/submission";
const MANIFEST = "/submission/packageArtifact/manifest";

function statusOf(rules: Rules, entry: unknown): EntryStatus {
  try {
    const text = readable(entry);
    return text === undefined ? broken(["SVC-B015"]) : statusOfDocument(rules, read(text));
  } catch {
    // Nothing is known to come here; should anything, it is a no.
    return broken(["SVC-B015"]);
  }
}

function statusOfDocument(rules: Rules, document: Document): EntryStatus {
  const status = statusBeforeOpenClaims(rules, document);
  // Whatever else is wrong hides no open claim.
  const isHidden = status.is === "broken" && !status.rules.some((rule) => isOpenClaim(rules, { rule }));
  return isHidden && document.root !== undefined && openFlags(rules, document.root).total > 0 ? broken([...status.rules, "SVC-B006"]) : status;
}

function statusBeforeOpenClaims(rules: Rules, document: Document): EntryStatus {
  const { root, faults, text } = document;
  if (root === undefined || faults.length > 0) return broken(faults.map((fault) => fault.rule));
  // An entry comes first: a host may have a `kind` of its own next to ours.
  if (ENTRY_MEMBERS.some((name) => get(root, name) !== undefined)) return statusOfEntry(rules, root, text);
  if (textOf(get(root, "kind")) !== undefined) return statusOfArtifact(rules, document);
  return get(root, "manifestVersion") === undefined ? statusOfEntry(rules, root, text) : statusOfRawManifest(rules, root, text);
}

/** A submission, or an index with one entry. The other kinds are about a submission that says more. */
function statusOfArtifact(rules: Rules, document: Document): EntryStatus {
  const kind = textOf(get(document.root, "kind"));
  if (kind !== "svc-registry-submission" && kind !== "svc-registry-index") return broken(["SVC-B001"]);
  const parsed = finish(parsingDocument(rules, document, utf8Length(document.text), kind));
  if (!parsed.ok) return broken(parsed.findings.map(({ rule }) => rule));
  const [reviewed] = parsed.packages;
  return reviewed === undefined || parsed.packages.length > 1 ? broken(["SVC-B001"]) : statusOfReviewed(reviewed);
}

function statusOfReviewed(reviewed: ReviewedPackage): EntryStatus {
  return { is: "submission", blockers: keptOutBy(reviewed), evidence: reviewed.evidence, reviewed: reviewed.reviewed, verdict: reviewed.verdict };
}

function statusOfRawManifest(rules: Rules, root: Node, text: string): EntryStatus {
  if (sizeOf(root, text) > LIMITS.manifest) return broken(["SVC-J005"]);
  const found = explainManifest(rules, root);
  const wrong = found.rules.filter((rule) => rule !== "SVC-M001");
  if (wrong.length > 0) return broken(wrong);
  return found.total > 0 ? { is: "part-of-manifest" } : statusOfManifest(rules, root, text);
}

function statusOfEntry(rules: Rules, root: Node, text: string): EntryStatus {
  const found = explain(rules, root, "index-entry", SHAPES, "passed-at-the-root");
  const wrong = found.rules.filter((rule) => rule !== "SVC-B014");
  // What a host says around the entry is its own, unless it claims to be open.
  const members = root.type === "object" ? root.members.filter(({ name }) => !ENTRY_MEMBERS.includes(name)) : [];
  if (members.some(({ name, value }) => isOpenHostMember(name, value))) wrong.push("SVC-B006");
  if (wrong.length > 0) return broken(wrong);
  // A part is whole when nothing is missing inside it, and it is not missing itself.
  const isWhole = (place: string) => !found.listed.some(({ pointer }) => `${pointer}/`.startsWith(`${place}/`));
  const submission = nodeAt(root, SUBMISSION);
  if (submission !== undefined && isWhole(SUBMISSION)) return statusOfSubmission(rules, submission, root, text, found.total === 0);
  const manifest = nodeAt(root, MANIFEST);
  if (manifest === undefined) return { is: "no-manifest" };
  return isWhole(MANIFEST) ? statusOfManifest(rules, manifest, text) : { is: "part-of-manifest" };
}

function statusOfSubmission(rules: Rules, node: Node, entry: Node, text: string, isWhole: boolean): EntryStatus {
  if (sizeOf(node, text) > rowOf("svc-registry-submission").mostBytes) return broken(["SVC-B016"]);
  const submission = valueOf(node) as unknown as Submission;
  const { faults, packages } = examine(rules, submission);
  if (faults.total > 0) return broken(faults.rules);
  const declared = textOf(get(entry, "submissionDigest"));
  if (declared !== undefined && declared !== submission.documentDigest) return broken(["SVC-B003"]);
  const blockers = packages.flatMap(keptOutBy);
  const evidence = { ...(packages[0]?.evidence ?? NO_EVIDENCE), entry: isWhole && blockers.length === 0 };
  return { is: "submission", blockers, evidence, reviewed: leastReviewed(packages), verdict: packages[0]?.verdict };
}

function statusOfManifest(rules: Rules, node: Node, text: string): EntryStatus {
  if (sizeOf(node, text) > LIMITS.manifest) return broken(["SVC-J005"]);
  const manifest = valueOf(node) as unknown as Manifest;
  const lacks = lacksForListing(rules, manifest, findingsOf(packageOf(rules, manifest)));
  if (lacks === undefined || lacks === "icon") return { is: lacks === "icon" ? "no-icon" : "manifest" };
  return broken(lacks.map(({ rule }) => rule));
}

/** The bytes of a value as it is written. */
function sizeOf({ start, end }: Node, text: string): number {
  return utf8Length(text.slice(start, end));
}

/** The rules, each once, in order of code. */
function broken(rules: readonly RuleCode[]): EntryStatus {
  return { is: "broken", rules: [...new Set(rules)].sort() };
}

const NO_EVIDENCE: StageEvidence = { listing: false, report: false, entry: false };

function evidenceOf(status: EntryStatus): StageEvidence {
  switch (status.is) {
    case "broken":
    case "no-manifest":
    case "part-of-manifest":
    case "no-icon":
      return NO_EVIDENCE;
    case "manifest":
      return { ...NO_EVIDENCE, listing: true };
    case "submission":
      return status.evidence;
  }
}

/** What the next stage takes. */
function nextStep(status: EntryStatus): string {
  switch (status.is) {
    case "broken":
      return `correct what does not hold: ${status.rules.join(", ")}`;
    case "no-manifest":
      return "write a manifest: run `svc app init`";
    case "part-of-manifest":
      return "complete the manifest: `svc app validate` names what is missing";
    case "no-icon":
      return NAME_AN_ICON;
    case "manifest":
      return "make the submission: run `svc app pack`";
    case "submission":
      return nextStepOfSubmission(status.blockers, status.evidence);
  }
}

const NAME_AN_ICON = "name an icon in the manifest";

function nextStepOfSubmission(blockers: readonly Blocker[], evidence: StageEvidence): string {
  if (stageOf(evidence) === "collection-entry") return "no evidence clears the missing gates";
  const codes = (of: string) => blockers.filter(({ owner }) => owner === of).map(({ code }) => code);
  const own = codes("author");
  if (own.length > 0) {
    const count = own.length === 1 ? "one blocker" : `${own.length} blockers`;
    return `the author has ${count} to clear: ${own.join(", ")}`;
  }
  if (!evidence.listing) return NAME_AN_ICON;
  if (!evidence.report) return "check the submission: this document has no report";
  if (blockers.length === 0) return "put it into a collection: run `svc app registry`";
  return `a reviewer has to look at exceptions: ${codes("registry").join(", ")}`;
}

function resolve(status: EntryStatus): LifecycleResolution {
  const { stages } = SDK_DISTRIBUTION_LIFECYCLE_CATALOG;
  const stage = stageOf(evidenceOf(status));
  const position = stages.findIndex(({ id }) => id === stage);
  const row = stages[position] ?? stages[0];
  const next = stages[position + 1] ?? stages[stages.length - 1];
  return made({
    brokenRules: status.is === "broken" ? status.rules : [],
    installable: false,
    label: row.label,
    meaning: row.meaning,
    missingGates: status.is === "submission" ? MISSING_GATES : ALL_GATES,
    nextStage: next?.id ?? "signed-package",
    nextSteps: [nextStep(status)],
    reviewed: status.is === "submission" ? status.reviewed : "without-facts",
    stage,
    ...(status.is === "submission" && status.verdict !== undefined ? { verdict: status.verdict } : {}),
  });
}
