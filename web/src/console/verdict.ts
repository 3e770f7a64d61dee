// What the check of a bundle came to: what `svc app verify` says of it, with the chain as a picture.

import { parseArtifact } from "../../../sdk/typescript/src/artifact/parse.ts";
import type { BrokenBundle, BundleFiles, BundleFinding, VerifiedBundle } from "../../../sdk/typescript/src/bundle.ts";
import { ARTIFACTS } from "../../../sdk/typescript/src/generated/table.ts";
import { PROBLEMS } from "../../../sdk/typescript/src/generated/problems.ts";
import { CLOSED_OUTCOME } from "../../../sdk/typescript/src/wording.ts";
import { code, element, grouped, paragraph, prose, section, type Child } from "../dom.ts";
import { linksOf } from "../model/chain.ts";
import { fitting } from "../model/findings.ts";
import { depthWords } from "../model/package-status.ts";
import { plain } from "../model/text.ts";
import { chainPicture, type LinkState } from "../report/chain.ts";
import { explained } from "./explained.ts";
import { type Failure, sentenceOf } from "./failure.ts";

/** The most findings that are shown: a document may have as many as it has files. */
const MOST_FINDINGS = 100;

/** The verdict, always with the outcome beside it: one is about documents, the other never changes. */
export function verdict(checked: VerifiedBundle | BrokenBundle, name: string): HTMLElement {
  const outcome = outcomeLine();
  if (checked.ok) {
    const made = section("verdict", "Valid: yes", paragraph("good", "Every digest of ", code(name), " was computed again in this page, every edge of the chain holds, and ", reviewWords(checked)), paragraph("", element("strong", "", "Reviewed: "), `${depthWords(checked.reviewed)}.`), outcome);
    if (checked.warnings.length > 0) made.append(element("h3", "", "Warnings about the documents"), ...list(checked.warnings, checked.warnings.length));
    return made;
  }
  const { title } = PROBLEMS[checked.problem];
  return section("verdict", "Valid: no", paragraph("bad", `${title} (`, code(checked.problem), "). ", "Nothing else is shown of ", code(name), ": what does not hold tells nothing."), outcome, ...list(checked.findings, checked.findingCount));
}

/** What could not be read or checked to its end: a no like any other, with the reason and nothing else. */
export function noVerdict(failure: Failure): HTMLElement {
  return section("verdict", "Valid: no", paragraph("bad", prose(sentenceOf(failure))), outcomeLine());
}

const outcomeLine = (): HTMLElement => paragraph("", element("strong", "", "Outcome: "), `${CLOSED_OUTCOME}. It is the same for every bundle.`);

/** A review by other rules is not compared with what ours give. */
function reviewWords({ warnings }: VerifiedBundle): string {
  return warnings.some(({ rule }) => rule === "SVC-B017") ? "its review agrees with itself; other rules made it, so it was not compared with what these give." : "the review is the one that the rules give.";
}

function list(findings: readonly BundleFinding[], total: number): Child[] {
  const rows = fitting(findings, MOST_FINDINGS);
  const more = total - rows.length;
  return [element("ul", "list", ...rows.map(item)), ...(more === 0 ? [] : [paragraph("", `and ${grouped(more)} more; `, element("code", "", "svc app verify"), " lists more.")])];
}

function item({ file, message, place, pointer, rule, severity }: BundleFinding): HTMLElement {
  const at = place === undefined ? "" : `:${place.line}:${place.column}`;
  return element(
    "li",
    "",
    paragraph("", element("strong", severity === "error" ? "bad" : "doubt", severity), " ", code(rule), " ", prose(plain(message))),
    paragraph("fine", "at ", code(`${file}${at} ${plain(pointer)}`.trimEnd())),
    ...explained(rule),
  );
}

/** The chain of a bundle that does not hold, with what is missing, what was refused and the edge that broke. */
export function brokenChain({ brokenEdge, findings }: BrokenBundle, files: BundleFiles): HTMLElement {
  const refused = new Set(brokenEdge === undefined ? findings.map(({ file }) => file) : []);
  const digests = new Map<string, string>();
  const states = ARTIFACTS.map(({ file, kind }): LinkState => {
    const bytes = files[file];
    if (bytes === undefined) return { box: "missing", edge: "not-walked" };
    // What was refused has no digest that could be told.
    const parsed = refused.has(file) ? undefined : parseArtifact(bytes, kind);
    if (parsed?.ok !== true) return { box: "refused", edge: "not-walked" };
    digests.set(kind, parsed.digest);
    const edge = brokenEdge === undefined ? "not-walked" : edgeOf(kind, brokenEdge.child);
    return { box: edge === "holds" ? "holds" : edge === "broken" ? "apart" : "alone", edge };
  });
  const links = linksOf((kind) => digests.get(kind) ?? "no digest");
  const words: Child[] =
    brokenEdge === undefined
      ? [paragraph("", "Edges are walked when every file holds by itself. ", refusedFiles(findings))]
      : [paragraph("", "Every file holds by itself. The first edge that does not: ", code(brokenEdge.child), " is not what ", code(brokenEdge.parent), " gives. Edges behind it were not walked.")];
  return section("chain", "Hash chain", ...words, ...chainPicture(links, states));
}

/** Edges are walked in the order of the commands, up to the first that does not hold. */
function edgeOf(kind: string, broken: string): LinkState["edge"] {
  const place = (of: string): number => ARTIFACTS.findIndex((row) => row.kind === of);
  return kind === broken ? "broken" : place(kind) < place(broken) ? "holds" : "not-walked";
}

function refusedFiles(findings: readonly BundleFinding[]): string {
  const count = new Set(findings.map(({ file }) => file)).size;
  return `${count} of seven ${count === 1 ? "does" : "do"} not.`;
}
