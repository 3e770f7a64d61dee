/** M: the manifest, as far as several of its members are looked at. The rest is in the forms of its members. */

import { hasUpperBound } from "../forms/host-range.js";
import { LIMITS } from "../generated/limits.js";
import { proofHost } from "../package/namespace.js";
import { type Check, type Found, foundIf, isOneOf, type Package } from "./package.js";
import type { RuleParameters } from "./rule-set.js";
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

function reservedId({ rules, manifest: { id } }: Package): Found[] {
  const known = rules.parameters["SVC-M013"];
  const looks = lookalike(id, known);
  const isReserved = (prefix: string) => id.startsWith(prefix) || looks.startsWith(lookalike(prefix, known));
  return foundIf(known.prefixes.some(isReserved), "/id");
}

/** Characters that people take for one another become one. */
function lookalike(text: string, { alike, together: pairs }: RuleParameters["SVC-M013"]): string {
  const alikes = new Map(alike.map((pair) => [pair.slice(0, 1), pair.slice(1)]));
  const togethers = new Map(pairs.map((letters) => [letters.slice(0, 2), letters.slice(2)]));
  let looks = "";
  for (const character of text.replaceAll("-", "")) {
    const letter = alikes.get(character) ?? character;
    const together = togethers.get(`${looks.at(-1)}${letter}`);
    looks = together === undefined ? looks + letter : looks.slice(0, -1) + together;
  }
  return looks;
}

function placeholder({ rules, manifest: { id, publisher, summary, description } }: Package): Found[] {
  const { ids, publishers, summaries, words } = rules.parameters["SVC-M017"];
  const texts = Object.entries({ "/summary": summary, "/description": description });
  const unfinished = texts.filter(([, text = ""]) => hasPhrase(text, words));
  return [
    ...foundIf(ids.some((start) => id.startsWith(start)), "/id"),
    ...foundIf(isOneOf(publisher.id, publishers), "/publisher/id"),
    ...foundIf(summaries.some((end) => summary.endsWith(end)), "/summary"),
    ...unfinished.map(([pointer]) => ({ pointer, subject: "unfinished" })),
  ];
}

function categories({ rules, manifest: { categories = [] } }: Package): Found[] {
  const { most, words } = rules.parameters["SVC-M022"];
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
