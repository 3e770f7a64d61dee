/** A package as our own rules judge it. Nothing that is shown comes from the declared report. */

import { type Draft, type Finding, finished } from "../finding.js";
import type { Blocker, ClaimedDepth, Package, ReachedStage, Verdict } from "../generated/artifacts.js";
import type { Made } from "../made.js";
import type { Place } from "../parts.js";
import { ownBlockers } from "../review/blockers.js";
import { contradictions, mismatches, refusals } from "../review/recheck.js";
import { listed, reportOn } from "../review/report.js";
import { lacksForListing, type StageEvidence, stageOf } from "../stage.js";
import type { Steps } from "../steps.js";
import { packageOf, type RuleFinding } from "../rules/package.js";
import type { Rules } from "../rules/rule-set.js";
import { runningRules } from "../rules/run.js";
import type { Basis } from "./basis.js";

/** What was found out about one package. */
export interface ReviewedPackage extends Made, Review {}

/** A review before anybody sees it. */
export interface Review {
  /** Which package. */
  readonly package: Package;
  /** Where it stands: a single document's package by itself, an index's package as the entry it is. */
  readonly stage: ReachedStage;
  /** The evidence that the stage follows from. */
  readonly evidence: StageEvidence;
  /** What our own rules say of it. */
  readonly verdict: Verdict;
  /** What stands between it and the next stage, by our own rules. */
  readonly blockers: readonly Blocker[];
  /** What our own rules found, the heaviest first: as many as a report lists, fewer for each package of an index. */
  readonly findings: readonly PackageFinding[];
  /** How many findings there are by severity, those that are not listed included. */
  readonly findingCounts: { readonly [severity in Finding["severity"]]: number };
  /**
   * What all of this is based on: `as-claimed` is recomputed from the report; with `without-facts` there is no report, so that
   * rules on facts did not run. No file of the package was seen.
   */
  readonly reviewed: ClaimedDepth;
}

/** A finding about a package. Its pointer is into the manifest, or names the row of a file. */
export interface PackageFinding extends Omit<Finding, "place"> {
  /** The file it is about. Its name is the author's word. */
  readonly file?: string;
  /** What it is about, where several stand at one place. */
  readonly subject?: string;
  /** Where in that file. */
  readonly place?: Place;
  /** How many files have it, where that is more than one: `file` is the first of them. */
  readonly files?: number;
  /** The row of the manifest's `exceptions` that asks a reviewer to look at it. */
  readonly exception?: number;
}

/** What is wrong with a review, and what our own rules say. */
export interface ReviewedAgain {
  readonly faults: readonly Draft[];
  readonly review: Review;
}

/**
 * Runs our rules again, over the manifest, the file table and the facts of the report: a report by our rules is the one
 * that they give, and one by other rules at least agrees with itself.
 */
export function* reviewAgain(
  rules: Rules,
  { packageArtifact, reviewReport, ruleset, visibility }: Basis,
  room: number,
): Steps<ReviewedAgain> {
  const { manifest, files } = packageArtifact;
  const given = packageOf(rules, manifest, files, reviewReport?.facts);
  const findings = yield* runningRules(given);
  const isOwn = ruleset.digest === rules.ruleset.digest;
  // No package with an error has an artifact by our rules. Of one by others it is the author's to mend, but for names that
  // would meet on somebody's disk.
  const faults = placed("packageArtifact", refusals(findings.filter(({ rule }) => isOwn || rule === "SVC-F003")));
  if (reviewReport !== undefined) {
    const differences = isOwn
      ? mismatches(reviewReport, reportOn(given, findings), packageArtifact)
      : contradictions(reviewReport, packageArtifact);
    faults.push(...placed("reviewReport", differences));
  }
  const evidence = { listing: lacksForListing(rules, manifest, findings) === undefined, report: reviewReport !== undefined, entry: false };
  return {
    faults,
    review: {
      package: { id: manifest.id, version: manifest.version },
      stage: stageOf(evidence),
      evidence,
      verdict: verdictOf(findings),
      blockers: ownBlockers(findings, visibility === "public"),
      findings: listed(findings, room).map((finding) => rendered(rules, finding)),
      findingCounts: countsOf(findings),
      reviewed: reviewReport === undefined ? "without-facts" : "as-claimed",
    },
  };
}

/** The package as the entry of an index: it is one when nothing keeps it out, be it the author's or a reviewer's. */
export function asEntry(review: Review): Review {
  const evidence = { ...review.evidence, entry: keptOutBy(review).length === 0 };
  return { ...review, evidence, stage: stageOf(evidence) };
}

/** What several reviews are based on: the least of them. */
export function leastReviewed(reviews: readonly Review[]): ClaimedDepth {
  return reviews.length > 0 && reviews.every(({ reviewed }) => reviewed === "as-claimed") ? "as-claimed" : "without-facts";
}

/** The blockers that keep a package out of every collection, whoever can clear them. */
export function keptOutBy({ blockers }: Review): readonly Blocker[] {
  return blockers.filter(({ blocksStage }) => blocksStage === "collection-entry");
}

function placed(member: string, drafts: readonly Draft[]): Draft[] {
  return drafts.map((draft) => ({ ...draft, pointer: `/${member}${draft.pointer}` }));
}

/** What findings come to. An error of ours, in a package that other rules let through, blocks as well. */
function verdictOf(findings: readonly RuleFinding[]): Verdict {
  const severities = new Set<string>(findings.map(({ severity }) => severity));
  if (severities.has("error") || severities.has("blocker")) return "blocked";
  return severities.size > 0 ? "validated-with-warnings" : "validated";
}

function countsOf(findings: readonly RuleFinding[]): Review["findingCounts"] {
  const counts = { error: 0, blocker: 0, warning: 0, note: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

/** A finding in words for people. */
function rendered(rules: Rules, { rule, pointer, cause: _, ...about }: RuleFinding): PackageFinding {
  const { title } = rules.rows[rule];
  const message = about.subject === undefined ? title : `${title}: ${about.subject}`;
  return { ...finished(rules, { rule, pointer, message }), ...about };
}
