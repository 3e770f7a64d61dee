/** M: the manifest, as far as several of its members are looked at. The rest is in the forms of its members. */

import { hasUpperBound } from "../forms/host-range.js";
import { LIMITS } from "../generated/limits.js";
import { PARAMETERS } from "../generated/parameters.js";
import { proofHost } from "../package/namespace.js";
import { type Check, type Found, foundIf, isOneOf, type Package } from "./package.js";
import { contradictions } from "./settings.js";
import { hasPhrase } from "./words.js";

/** The checks by the code of their rule, in order of code. */
export const MANIFEST_CHECKS = {
  "SVC-M005": ({ manifest }) => foundIf(manifest.$schema === undefined, "/$schema"),
  "SVC-M013": reservedId,
  "SVC-M017": placeholder,
  "SVC-M021": ({ manifest }) => foundIf(!hasUpperBound(manifest.engines.host), "/engines/host"),
  "SVC-M022": categories,
  "SVC-M025": ({ manifest }) => foundIf(manifest.repository === undefined, "/repository"),
  "SVC-M026": ({ manifest }) => foundIf(manifest.support === undefined, "/support"),
  "SVC-M029": noProofHost,
  "SVC-M030": ({ manifest: { exceptions = [] } }) => foundIf(exceptions.length > LIMITS.exceptions, "/exceptions"),
  "SVC-M032": contradictions,
} as const satisfies { readonly [code: string]: Check };

function reservedId({ manifest: { id } }: Package): Found[] {
  const looks = lookalike(id);
  const isReserved = (prefix: string) => id.startsWith(prefix) || looks.startsWith(lookalike(prefix));
  return foundIf(PARAMETERS["SVC-M013"].prefixes.some(isReserved), "/id");
}

/** Characters that people take for one another: the first for the second. */
const ALIKE = new Map(PARAMETERS["SVC-M013"].alike.map((pair) => [pair.slice(0, 1), pair.slice(1)]));

/** Two letters side by side that look like the third. */
const TOGETHER = new Map(PARAMETERS["SVC-M013"].together.map((letters) => [letters.slice(0, 2), letters.slice(2)]));

function lookalike(text: string): string {
  let looks = "";
  for (const character of text.replaceAll("-", "")) {
    const letter = ALIKE.get(character) ?? character;
    const together = TOGETHER.get(`${looks.at(-1)}${letter}`);
    looks = together === undefined ? looks + letter : looks.slice(0, -1) + together;
  }
  return looks;
}

function placeholder({ manifest: { id, publisher, summary, description } }: Package): Found[] {
  const { ids, publishers, summaries, words } = PARAMETERS["SVC-M017"];
  const texts = Object.entries({ "/summary": summary, "/description": description });
  const unfinished = texts.filter(([, text = ""]) => hasPhrase(text, words));
  return [
    ...foundIf(ids.some((start) => id.startsWith(start)), "/id"),
    ...foundIf(isOneOf(publisher.id, publishers), "/publisher/id"),
    ...foundIf(summaries.some((end) => summary.endsWith(end)), "/summary"),
    ...unfinished.map(([pointer]) => ({ pointer, subject: "unfinished" })),
  ];
}

function categories({ manifest: { categories = [] } }: Package): Found[] {
  const { most, words } = PARAMETERS["SVC-M022"];
  const seen = new Set<string>();
  return categories.flatMap((category, at) => {
    const pointer = `/categories/${at}`;
    if (seen.has(category)) return [{ pointer, subject: "twice" }];
    seen.add(category);
    const tooMany = seen.size === most + 1 ? [{ pointer, subject: "too-many" }] : [];
    return [...tooMany, ...foundIf(!isOneOf(category, words), pointer)];
  });
}

function noProofHost({ manifest: { id, publisher } }: Package): Found[] {
  const host = publisher.url === undefined ? undefined : proofHost(id, publisher.url);
  return foundIf(host === undefined, "/publisher/url");
}
