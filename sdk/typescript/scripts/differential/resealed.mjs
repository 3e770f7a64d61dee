// Documents by somebody who knows everything but cannot change the rules: a report, its facts or the blockers changed, or
// the package itself, and every digest made to fit, under the rules of this version and under others.

import { basisOf } from "../../dist/artifact/basis.js";
import { bodyOf } from "../../dist/artifact/body.js";
import { reportOf } from "../../dist/review/report.js";
import { SVC_DEFAULT } from "../../dist/rules/rule-set.js";
import { changed } from "./packages.mjs";
import { digestOf, reseal } from "./reseal.mjs";

const FOREIGN = { digest: digestOf("the rules of somebody else"), version: "1.0.0" };

const WORDS = ["passed", "failed", "excepted", "skipped", "registry", "computed", "called", "blocked", "validated", "validated-with-warnings", "author", "host", "warning", "blocker", "error", "note", "eval", "png", "SVC-M022", "SVC-Z999", "public-listing", "/files", "/files/0", "512x512"];

/** One such document. */
export function resealed(base, random, examples) {
  const document = structuredClone(base);
  const inner = document.entries === undefined ? document : random.pick(document.entries).submission;
  if (random.chance(10)) inner.visibility = "public";
  if (random.chance(50)) inner.ruleset = FOREIGN;
  const roll = random.below(100);
  if (roll < 55) changePackage(inner, (its, facts) => changed(its, facts, random, examples), random.chance(85));
  if ((roll < 90 && roll >= 55) || random.chance(10)) changeLeaf(inner.reviewReport ?? {}, random);
  reseal(document);
  if (random.chance(95)) follow(document, inner);
  if (roll >= 90 && inner.blockers !== undefined) {
    changeLeaf(inner.blockers, random);
    reseal(document);
  }
  return document;
}

/** One document for each change, under the rules of this version and under others. */
export function resealedByEach(base, changes) {
  return changes.flatMap((change) =>
    [base.ruleset, FOREIGN].map((ruleset) => {
      const document = { ...structuredClone(base), ruleset };
      changePackage(document, change, true);
      reseal(document);
      follow(document, document);
      return document;
    }),
  );
}

/** Makes the members that follow from the package follow again. A report that lost a member gives none: then they stay. */
function follow(document, inner) {
  try {
    Object.assign(inner, structuredClone(bodyOf(inner.kind, basisOf(inner))));
  } catch {
    return;
  }
  reseal(document);
}

/** The package and its facts, with the report made again or left as it was. */
function changePackage(document, change, isMadeAgain) {
  const facts = change(document.packageArtifact, document.reviewReport?.facts ?? []);
  const { id, version } = document.packageArtifact.manifest;
  document.package = { id, version };
  if (document.reviewReport === undefined) return;
  document.reviewReport.facts = facts;
  if (isMadeAgain) document.reviewReport = madeAgain(document);
}

/** The report on a package. A manifest that lost its form gives none: then it stays. */
function madeAgain({ packageArtifact, reviewReport, ruleset }) {
  try {
    const report = structuredClone(reportOf(SVC_DEFAULT, packageArtifact, reviewReport.facts));
    return ruleset === FOREIGN ? withoutErrors(report) : report;
  } catch {
    return reviewReport;
  }
}

/** The report of rules that let through what ours refuse. */
function withoutErrors(report) {
  const errors = new Set(report.findings.filter(({ severity }) => severity === "error").map(({ code }) => code));
  return {
    ...report,
    checks: report.checks.map((check) => (errors.has(check.code) ? { code: check.code, result: "passed" } : check)),
    findings: report.findings.filter(({ code }) => !errors.has(code)),
  };
}

/** One leaf or one row, somewhere. */
function changeLeaf(root, random) {
  const places = [];
  const collect = (holder) => {
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      if (typeof holder[key] === "object") collect(holder[key]);
    }
  };
  collect(root);
  if (places.length === 0) return;
  const { holder, key } = random.pick(places);
  const value = holder[key];
  if (Array.isArray(holder) && random.chance(50)) {
    const at = Number(key);
    if (random.chance(50)) holder.splice(at, 1);
    else holder.splice(at, 0, structuredClone(value));
  } else if (typeof value === "number") holder[key] = Math.max(0, value + random.pick([1, -1, 200, -value]));
  else if (typeof value === "boolean") holder[key] = !value;
  else if (typeof value === "string") holder[key] = value.startsWith("sha256:") ? digestOf(value) : random.pick(WORDS);
  else if (Array.isArray(value)) value.reverse();
  else if (random.chance(50)) delete holder[key];
}
