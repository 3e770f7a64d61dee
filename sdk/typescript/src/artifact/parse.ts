/** From bytes to a checked artifact, with all findings at once. */

import { writingFile } from "../canonical.js";
import { type Draft, type Finding, ofFault, placed, type ProblemCode } from "../finding.js";
import { Findings } from "../findings.js";
import { frozen } from "../frozen.js";
import type { ClaimedDepth, Digest } from "../generated/artifacts.js";
import { made, type Made, making } from "../made.js";
import { type Rules, SVC_DEFAULT } from "../rules/rule-set.js";
import { checkingShape, explain, openClaims, openFlags } from "../shape.js";
import { finish, finishAsync, type Steps } from "../steps.js";
import { type Document, get, type Node, reading, textOf, valuing } from "../strict-json/tree.js";
import { utf8Length } from "../unicode.js";
import { examining } from "./check.js";
import { type Artifact, type ArtifactKind, type ArtifactOf, type ArtifactRow, rowOf } from "./kinds.js";
import { leastReviewed, type ReviewedPackage } from "./reviewed.js";

/** An artifact that passed every check that this package makes. It is valid, and it is not accepted. */
export interface ParsedArtifact<A extends Artifact = Artifact> extends Made {
  readonly ok: true;
  /** The document. */
  readonly artifact: A;
  /** Its digest, recomputed. */
  readonly digest: Digest;
  /** Findings that do not stop it. */
  readonly warnings: readonly Finding[];
  /** The packages that it speaks of, as our own rules judge them, also when the document names other rules. */
  readonly packages: readonly ReviewedPackage[];
  /** What `packages` are based on, the least of them. No file of a package was seen. */
  readonly reviewed: ClaimedDepth;
}

/** A document that was refused. */
export interface RefusedArtifact {
  readonly ok: false;
  /** What is wrong with it, at most 200 findings: at least one of each rule that is broken. */
  readonly findings: readonly Finding[];
  /** How many findings there are, those that are not listed included. */
  readonly findingCount: number;
  /** The problem code that names the refusal as a whole. */
  readonly problem: ProblemCode;
}

/**
 * Reads and checks an artifact. Bytes are better than text: a lenient decoder in front of this one hides what it mended.
 *
 * Without a kind the document's own `kind` decides; with one, the document must be of that kind. `rules` judge it: `svc.default`
 * unless others are given.
 */
export function parseArtifact(document: string | Uint8Array, kind?: undefined, rules?: Rules): ParsedArtifact | RefusedArtifact;
export function parseArtifact<K extends ArtifactKind>(
  document: string | Uint8Array,
  kind: K,
  rules?: Rules,
): ParsedArtifact<ArtifactOf[K]> | RefusedArtifact;
export function parseArtifact(
  document: string | Uint8Array,
  kind?: ArtifactKind,
  rules: Rules = SVC_DEFAULT,
): ParsedArtifact | RefusedArtifact {
  return finish(parsing(rules, document, kind));
}

/**
 * `parseArtifact` for large documents: the same result, and the event loop runs in between. A document of 8 MB takes seconds,
 * of which no turn is longer than a few milliseconds.
 */
export function parseArtifactAsync(
  document: string | Uint8Array,
  kind?: undefined,
  rules?: Rules,
): Promise<ParsedArtifact | RefusedArtifact>;
export function parseArtifactAsync<K extends ArtifactKind>(
  document: string | Uint8Array,
  kind: K,
  rules?: Rules,
): Promise<ParsedArtifact<ArtifactOf[K]> | RefusedArtifact>;
export function parseArtifactAsync(
  document: string | Uint8Array,
  kind?: ArtifactKind,
  rules: Rules = SVC_DEFAULT,
): Promise<ParsedArtifact | RefusedArtifact> {
  return finishAsync(parsing(rules, document, kind));
}

/** `parseArtifact`, in steps. */
export function* parsing(
  rules: Rules,
  document: string | Uint8Array,
  kind?: ArtifactKind,
): Steps<ParsedArtifact | RefusedArtifact> {
  const size = typeof document === "string" ? utf8Length(document) : document.length;
  const row = kind === undefined ? undefined : rowOf(kind);
  const most = row?.mostBytes ?? MOST_BYTES;
  if (size > most) return tooLarge(rules, most);
  return yield* parsingDocument(rules, yield* reading(document), size, kind);
}

/** `parseArtifact` of a document that was read, in steps. */
export function* parsingDocument(
  rules: Rules,
  found: Document,
  size: number,
  kind?: ArtifactKind,
): Steps<ParsedArtifact | RefusedArtifact> {
  const row = kind === undefined ? undefined : rowOf(kind);
  const own = row ?? rowOf(textOf(get(found.root, "kind")) ?? "");
  if (own === undefined) return refused(rules, ofNoKind(rules, found), found);
  // A document that names its own kind is held to the bound of that kind.
  if (size > own.mostBytes) return tooLarge(rules, own.mostBytes);
  if (found.root === undefined || found.faults.length > 0 || !(yield* checkingShape(rules, found.root, own.name))) {
    return refused(rules, explained(rules, found, own), found);
  }
  const artifact = (yield* valuing(found.root)) as unknown as Artifact;
  const { faults, packages } = yield* examining(rules, artifact);
  if (faults.total > 0) return refused(rules, faults, found);
  const isAsWritten = (yield* writingFile(artifact)) === found.text;
  return yield* making({
    ok: true,
    artifact,
    digest: artifact.documentDigest,
    packages: packages.map((review) => made(review)),
    reviewed: leastReviewed(packages),
    warnings: placed(rules, warningsOf(rules, artifact, isAsWritten), found),
  });
}

const MOST_BYTES = Math.max(rowOf("svc-registry-index").mostBytes, rowOf("svc-registry-submission").mostBytes);

function tooLarge(rules: Rules, most: number): RefusedArtifact {
  const draft: Draft = { rule: "SVC-B016", pointer: "", message: `the document is larger than ${most} bytes` };
  return refused(rules, Findings.of(rules, [draft]), { text: "", root: undefined, faults: [] });
}

function refused(rules: Rules, found: Findings, document: Document): RefusedArtifact {
  const problem = found.problem ?? "artifact-invalid";
  return frozen({ ok: false, findings: placed(rules, found.listed, document), findingCount: found.total, problem });
}

/** A document that says it is nothing we know. Whatever it is, it may not claim to be open. */
function ofNoKind(rules: Rules, { root, faults }: Document): Findings {
  const found = Findings.of(rules, faults.map((fault) => ofFault(rules, fault)));
  if (root === undefined) return found;
  const message = "this is no artifact of a kind that svc knows";
  found.push({ rule: "SVC-B001", pointer: "/kind", message });
  found.append(openFlags(rules, root));
  return found;
}

/** Everything about a document that the strict read refused. */
function explained(rules: Rules, { root, faults }: Document, row: ArtifactRow): Findings {
  const found = Findings.of(rules, faults.map((fault) => ofFault(rules, fault)));
  if (root === undefined) return found;
  if (get(root, "kind") === undefined && get(root, "manifestVersion") !== undefined) {
    found.push({ rule: "SVC-B001", pointer: "", message: `this is a package manifest, not a \`${row.kind}\`` });
    found.append(openFlags(rules, root));
    return found;
  }
  addShape(rules, found, root, row);
  if (!found.hasOpenClaim) found.append(openFlags(rules, root));
  if (!found.hasError) {
    found.push({ rule: "SVC-B015", pointer: "", message: "the document does not have the form of its kind" });
  }
  return found;
}

function addShape(rules: Rules, found: Findings, root: Node, row: ArtifactRow): void {
  const said = textOf(get(root, "kind"));
  const other = said === undefined || said === row.kind ? undefined : rowOf(said);
  if (other === undefined) return found.append(explain(rules, root, row.name));
  found.push({ rule: "SVC-B001", pointer: "/kind", message: `this is a \`${other.kind}\`, not a \`${row.kind}\`` });
  // The wrong door does not hide an open claim: the document is still held against its own kind's posture.
  found.append(openClaims(rules, root, other.name));
}

function warningsOf(rules: Rules, artifact: Artifact, isAsWritten: boolean): Draft[] {
  const warnings: Draft[] = [];
  if (!isAsWritten) {
    const message = "the meaning is right, but the layout is not the one svc writes";
    warnings.push({ rule: "SVC-B009", pointer: "", message });
  }
  if (artifact.ruleset.digest !== rules.ruleset.digest) {
    const message = "made with another rule set; its review report was not compared with the rules of this build";
    warnings.push({ rule: "SVC-B017", pointer: "/ruleset", message });
  }
  return warnings;
}
