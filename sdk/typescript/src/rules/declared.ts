/** What a manifest asks for, beside what the code of the package does. */

import { CALLED, COMPUTED } from "../package/fact-table.js";
import type { Fact, Manifest } from "../parts.js";
import { asciiLowercase } from "../unicode.js";
import { factsOf, type Found, foundFact, foundFacts, foundIf, isBlind, isOneOf, type Package } from "./package.js";

/** P012: code that is made or fetched at run time. Where it comes from when that is computed is another rule's. */
export function dynamicCode(given: Package): Found[] {
  const facts = factsOf(given, given.rules.parameters["SVC-P012"].facts);
  return facts.filter((fact) => fact.kind !== "remote-code" || !isComputed(fact)).map((fact) => foundFact(given, fact));
}

/** P013: contact with an origin that is not allowed. */
export function contact(given: Package): Found[] {
  const { facts, strict } = given.rules.parameters["SVC-P013"];
  const allowed = allowedBy(given.manifest);
  return factsOf(given, facts).flatMap((fact) => {
    const origin = originOf(fact);
    // Nobody can judge what a report has no room for.
    if (fact.subject === undefined) return [foundFact(given, fact)];
    if (origin === undefined || allowed.some((one) => covers(one, origin))) return [];
    return [weighed(foundFact(given, fact), isOneOf(fact.word, strict))];
  });
}

/** P017: contact with an address that only the running code knows. */
export function computedContact(given: Package): Found[] {
  return factsOf(given, given.rules.parameters["SVC-P017"].facts).filter(isComputed).map((fact) => foundFact(given, fact));
}

/** P014: a power without the permission that covers it. */
export function power(given: Package): Found[] {
  const { covered, facts } = given.rules.parameters["SVC-P014"];
  const rows = pairsOf(covered);
  return factsOf(given, facts).flatMap((fact) => {
    const names = rows.filter(([power]) => power === fact.word).map(([, permission = ""]) => permission);
    if (names.some((name) => isAsked(given.manifest, name))) return [];
    return [weighed(foundFact(given, fact), fact.subject === undefined || (fact.subject === CALLED && names.length > 0))];
  });
}

/** P015: what the policy of the package stops. */
export function stoppedByPolicy(given: Package): Found[] {
  const { facts, stopped } = given.rules.parameters["SVC-P015"];
  const rows = pairsOf(stopped).filter(([, directive, source]) => !letsThrough(given.manifest, directive, source));
  return foundFacts(given, { facts, words: ["cut", ...rows.map(([word = ""]) => word)] });
}

/** P016: asked for, and nowhere seen used. Code that was not read may use it. */
export function unused(given: Package): Found[] {
  if (isBlind("SVC-P016", given)) return [];
  const { permissions, network } = given.manifest;
  const powers = new Set(factsOf(given, ["power"]).map(({ word }) => word));
  const rows = pairsOf(given.rules.parameters["SVC-P016"].covered);
  const idle = permissions.flatMap(({ permission }, at) => {
    const covered = rows.filter(([, name]) => name === permission).map(([power = ""]) => power);
    return foundIf(covered.length > 0 && !covered.some((power) => powers.has(power)), `/permissions/${at}/permission`);
  });
  const contacts = factsOf(given, ["contact", "remote-code"]);
  // An address that is computed may be any of them.
  if (contacts.some(isComputed)) return idle;
  const origins = [...new Set(contacts.map(originOf))].filter((origin) => origin !== undefined);
  const silent = network.allow.flatMap((allowed, at) =>
    foundIf(!origins.some((origin) => covers(allowed, origin)), `/network/allow/${at}`),
  );
  return [...idle, ...silent];
}

/** The finding, as a warning unless it weighs as its rule. */
function weighed(found: Found, isWhole: boolean): Found {
  return isWhole ? found : { ...found, severity: "warning" };
}

/** Rows of a table that are written as `a=b=c`. */
function pairsOf(rows: readonly string[]): string[][] {
  return rows.map((row) => row.split("="));
}

function isAsked({ permissions }: Manifest, name: string): boolean {
  return permissions.some(({ permission }) => permission === name);
}

/** The origins that a package may talk to. */
function allowedBy(manifest: Manifest): readonly string[] {
  return isAsked(manifest, "network.fetch") ? manifest.network.allow : [];
}

/** Whether only the running code knows the address. */
export function isComputed({ subject }: Fact): boolean {
  return subject === COMPUTED;
}

/** The origin that a fact names. */
export function originOf(fact: Fact): string | undefined {
  return isComputed(fact) ? undefined : fact.subject;
}

/** Whether an allowed origin covers one that is contacted. A socket is as its page: `wss` as `https`. */
export function covers(allowed: string, origin: string): boolean {
  const [scheme, host] = partsOf(allowed);
  const [contactedScheme, contacted] = partsOf(origin.replace(/^ws(s?):/, "http$1:"));
  if (scheme !== contactedScheme) return false;
  if (!host.startsWith("*.")) return asciiLowercase(host) === asciiLowercase(contacted);
  const end = host.slice(1);
  return contacted.endsWith(end) && contacted.length > end.length;
}

/** The scheme of an origin, and its host without the port that goes without saying. */
function partsOf(origin: string): [string, string] {
  const at = origin.indexOf("://");
  const [scheme, host] = [origin.slice(0, at), origin.slice(at + 3)];
  const port = scheme === "https" ? ":443" : ":80";
  return [scheme, host.endsWith(port) ? host.slice(0, -port.length) : host];
}

/** Whether the policy lets something through by this source. Without a policy nothing inline or evaluated runs. */
function letsThrough({ entry: { csp = {} } }: Manifest, directive: string | undefined, source: string | undefined): boolean {
  const sources: readonly string[] = csp[directive as keyof typeof csp] ?? csp["default-src"] ?? [];
  // The hash of a piece of code lets that piece through; which one it is, only a browser works out.
  const isHash = (given: string) => source === "'unsafe-inline'" && given.startsWith("'sha");
  return sources.some((given) => asciiLowercase(given) === source || isHash(given));
}
