/**
 * The bundle: seven files, one hash chain.
 *
 * Every file is checked by itself first. Then each edge of the chain is walked in the order of the commands: the child is
 * derived again from its parent and must come out the same.
 */

import { derive } from "./artifact/derive.js";
import { type ArtifactKind, type ArtifactOf, type PackageDocument, parentOf, rowOf } from "./artifact/kinds.js";
import { type ParsedArtifact, parsing } from "./artifact/parse.js";
import { leastReviewed, type ReviewedPackage } from "./artifact/reviewed.js";
import { sameMeaning, toFile } from "./canonical.js";
import { type Draft, type Finding, finished, type ProblemCode, problemOf } from "./finding.js";
import { freezing, frozen } from "./frozen.js";
import type { ClaimedDepth, Index, Submission } from "./generated/artifacts.js";
import { ARTIFACTS } from "./generated/table.js";
import { join } from "./pointer.js";
import { type Rules, SVC_DEFAULT } from "./rules/rule-set.js";
import { finish, finishAsync, type Steps } from "./steps.js";
import { utf8Length } from "./unicode.js";

/** The name of a file of a bundle. */
export type BundleFile = (typeof ARTIFACTS)[number]["file"];

/** The files of a bundle by their names. */
export type BundleFiles = { readonly [file in BundleFile]?: string | Uint8Array };

/** A finding about one file of a bundle. */
export interface BundleFinding extends Finding {
  readonly file: BundleFile;
}

/** A bundle whose every file and every edge holds. It is valid, and nothing in it is accepted. */
export interface VerifiedBundle {
  readonly ok: true;
  /** All seven by kind. */
  readonly artifacts: ArtifactOf;
  /** Findings that do not stop it. */
  readonly warnings: readonly BundleFinding[];
  /** The packages of the index, as our own rules judge them. */
  readonly packages: readonly ReviewedPackage[];
  /** What `packages` are based on: recomputed from the reports. No file of a package was seen. */
  readonly reviewed: ClaimedDepth;
}

/** A bundle that does not hold. */
export interface BrokenBundle {
  readonly ok: false;
  /** The findings of every file, at most 200 of each, or the one of the first broken edge. */
  readonly findings: readonly BundleFinding[];
  /** How many findings there are, those that are not listed included. */
  readonly findingCount: number;
  /** The first edge that does not hold, when every file holds by itself. */
  readonly brokenEdge?: { readonly parent: ArtifactKind; readonly child: ArtifactKind };
  /** The problem code that names the refusal as a whole. */
  readonly problem: ProblemCode;
}

/** Checks a whole bundle by these rules and names the first broken edge. */
export function verifyBundle(files: BundleFiles, rules: Rules = SVC_DEFAULT): VerifiedBundle | BrokenBundle {
  return finish(verifying(rules, files));
}

/** `verifyBundle` for large bundles: the same result, and the event loop runs in between. */
export function verifyBundleAsync(files: BundleFiles, rules: Rules = SVC_DEFAULT): Promise<VerifiedBundle | BrokenBundle> {
  return finishAsync(verifying(rules, files));
}

function* verifying(rules: Rules, files: BundleFiles): Steps<VerifiedBundle | BrokenBundle> {
  return yield* freezing(yield* lookedAt(rules, files));
}

/** What is wrong between a document and its parent, when each holds by itself. */
export function edgeFault(
  child: ArtifactOf[ArtifactKind],
  parent: PackageDocument,
  rules: Rules = SVC_DEFAULT,
): Finding | undefined {
  const fault =
    child.kind === "svc-registry-index" ? indexEdge(child, parent as Submission) : derivedEdge(child, parent);
  return fault === undefined ? undefined : frozen(finished(rules, fault));
}

function* lookedAt(rules: Rules, files: BundleFiles): Steps<VerifiedBundle | BrokenBundle> {
  const findings: BundleFinding[] = [];
  let findingCount = 0;
  const warnings: BundleFinding[] = [];
  const holding = new Map<ArtifactKind, ParsedArtifact>();
  for (const { file, kind } of ARTIFACTS) {
    const text = Object.hasOwn(files, file) ? files[file] : undefined;
    if (text === undefined) {
      findings.push({ ...finished(rules, { rule: "SVC-B011", pointer: "", message: `\`${file}\` is missing` }), file });
      findingCount += 1;
      continue;
    }
    const parsed = yield* parsing(rules, text, kind);
    if (parsed.ok) holding.set(kind, parsed);
    else findingCount += parsed.findingCount;
    const found = parsed.ok ? parsed.warnings : parsed.findings;
    (parsed.ok ? warnings : findings).push(...found.map((finding) => ({ ...finding, file })));
  }
  if (findings.length > 0) return { ok: false, findings, findingCount, problem: problemOf(rules, findings) ?? "artifact-invalid" };
  const artifacts = Object.fromEntries(Array.from(holding, ([kind, { artifact }]) => [kind, artifact])) as unknown as ArtifactOf;
  const packages = holding.get("svc-registry-index")?.packages ?? [];
  return (yield* walkingEdges(rules, artifacts)) ?? { ok: true, artifacts, packages, reviewed: leastReviewed(packages), warnings };
}

/** The first edge that is broken. */
function* walkingEdges(rules: Rules, artifacts: ArtifactOf): Steps<BrokenBundle | undefined> {
  for (const row of ARTIFACTS) {
    const parent = row.source === "submissions" ? "svc-registry-submission" : parentOf(row);
    if (parent === undefined) continue;
    yield;
    const fault = edgeFault(artifacts[row.kind], artifacts[parent] as PackageDocument, rules);
    if (fault === undefined) continue;
    const findings = [{ ...fault, file: row.file }];
    return { ok: false, findings, findingCount: 1, brokenEdge: { parent, child: row.kind }, problem: fault.problem };
  }
  return undefined;
}

/** The index holds the bundle's submission, to the letter. */
function indexEdge({ entries }: Index, submission: Submission): Draft | undefined {
  if (entries.some((entry) => sameMeaning(entry.submission, submission))) return undefined;
  const position = entries.findIndex((entry) => sameMeaning(entry.submission.package, submission.package));
  if (position < 0) {
    return { rule: "SVC-B005", pointer: "/entries", message: "the index does not hold the bundle's submission" };
  }
  const pointer = join(join("/entries", position), "submission");
  return { rule: "SVC-B010", pointer, message: "the index holds another submission of this package" };
}

/** The child is what its parent gives. */
function derivedEdge(child: PackageDocument, parent: PackageDocument): Draft | undefined {
  const expected = derive(child.kind, parent);
  if (utf8Length(toFile(expected)) > rowOf(child.kind).mostBytes) {
    return { rule: "SVC-B005", pointer: "", message: "nothing can be derived from the parent" };
  }
  const member = firstDifference(expected, child as unknown as { [member: string]: unknown });
  if (member === undefined) return undefined;
  const rule = member === "derivedFrom" ? "SVC-B005" : "SVC-B010";
  return { rule, pointer: join("", member), message: `\`${member}\` is not what the parent gives` };
}

/** The first member that differs, the named parent first: another parent explains every other difference. */
function firstDifference(
  expected: { readonly [member: string]: unknown },
  found: { readonly [member: string]: unknown },
): string | undefined {
  const differs = (name: string) => !sameMeaning(expected[name], found[name]);
  if (differs("derivedFrom")) return "derivedFrom";
  const differing = Object.keys(expected).sort().filter(differs);
  // The digest of the document differs whenever anything does; name the cause before the effect.
  return differing.find((name) => name !== "documentDigest") ?? differing[0];
}
