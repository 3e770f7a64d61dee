/** P: what a package asks for. */

import { PARAMETERS } from "../generated/parameters.js";
import type { Manifest } from "../parts.js";
import { asciiLowercase, countCodePoints } from "../unicode.js";
import { type Check, type Found, foundFacts, foundIf, isOneOf, type Package } from "./package.js";

/** The checks by the code of their rule, in order of code. */
export const PERMISSION_CHECKS = {
  "SVC-P002": ({ manifest: { network } }) =>
    foundIf(network.allow.length > 0 && network.purpose === undefined, "/network/purpose"),
  "SVC-P003": weakPurpose,
  "SVC-P004": permissionTwice,
  "SVC-P006": networkDisagrees,
  "SVC-P007": ({ manifest: { network } }) =>
    network.allow.flatMap((origin, at) => foundIf(origin.startsWith("https://*."), `/network/allow/${at}`)),
  "SVC-P008": loosePolicy,
  "SVC-P010": ({ manifest: { dataCollection: kinds } }) =>
    foundIf(kinds.length === 0 || (kinds.includes("none") && kinds.length > 1), "/dataCollection"),
  "SVC-P011": ({ manifest: { dataCollection: kinds, privacyPolicy } }) =>
    foundIf(kinds.some((kind) => kind !== "none") && privacyPolicy === undefined, "/privacyPolicy"),
  "SVC-P012": (given) => foundFacts(given, PARAMETERS["SVC-P012"].facts),
} as const satisfies { readonly [code: string]: Check };

function weakPurpose({ manifest: { permissions, network } }: Package): Found[] {
  const least = PARAMETERS["SVC-P003"].length;
  const purposes = [
    ...permissions.map(({ purpose }, at) => ({ pointer: `/permissions/${at}/purpose`, purpose })),
    ...(network.purpose === undefined ? [] : [{ pointer: "/network/purpose", purpose: network.purpose }]),
  ];
  const seen = new Set<string>();
  return purposes.flatMap(({ pointer, purpose }) => {
    if (countCodePoints(purpose, least) < least) return [{ pointer }];
    const text = purpose.toLowerCase();
    const isTwice = seen.has(text);
    seen.add(text);
    return foundIf(isTwice, pointer);
  });
}

function permissionTwice({ manifest: { permissions } }: Package): Found[] {
  const names = permissions.map(({ permission }) => permission);
  return names.flatMap((name, at) => foundIf(names.indexOf(name) < at, `/permissions/${at}/permission`));
}

function networkDisagrees({ manifest }: Package): Found[] {
  const allowed: ReadonlySet<string> = new Set(manifest.network.allow);
  const fetches = manifest.permissions.some(({ permission }) => permission === "network.fetch");
  const unknown = sourcesOf(manifest).filter(({ source }) => namesHost(source) && !allowed.has(source));
  return [...foundIf(allowed.size > 0 !== fetches, "/network/allow"), ...unknown.map(({ pointer }) => ({ pointer }))];
}

function loosePolicy({ manifest }: Package): Found[] {
  const known = PARAMETERS["SVC-P008"];
  return sourcesOf(manifest).flatMap(({ directive, source, pointer }) => {
    const isCode = isOneOf(directive, known["code-directives"]) && namesHost(source);
    const isMedia = isOneOf(directive, known["media-directives"]) && isOneOf(source, known["media-sources"]);
    const isLoose = isOneOf(asciiLowercase(source), known.sources) || source.endsWith(":");
    return foundIf(isCode || (isLoose && !isMedia), pointer);
  });
}

/**
 * Whether a source names a host. Words stand in quotes and schemes end with a colon; a browser takes all else for the name
 * of a host, `none` and `localhost:8080` too.
 */
function namesHost(source: string): boolean {
  return !source.startsWith("'") && !source.endsWith(":") && source !== "*";
}

/** Every source of the policy. */
function sourcesOf({ entry: { csp = {} } }: Manifest) {
  return Object.entries(csp).flatMap(([directive, sources]: [string, readonly string[]]) =>
    sources.map((source, at) => ({ directive, source, pointer: `/entry/csp/${directive}/${at}` })),
  );
}
