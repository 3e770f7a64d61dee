/** P: what a package asks for. */

import type { Manifest } from "../parts.js";
import { countCodePoints } from "../unicode.js";
import { type HostSource, hostOf, hostSource, isMisspelt, isScheme, isWithin, letsIn, type PolicyWords, type Source, sourcesOf } from "./csp.js";
import { computedContact, contact, dynamicCode, power, stoppedByPolicy, unused } from "./declared.js";
import { type Check, type Found, foundIf, isOneOf, type Package } from "./package.js";
import type { Rules } from "./rule-set.js";

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
  "SVC-P012": dynamicCode,
  "SVC-P013": contact,
  "SVC-P014": power,
  "SVC-P015": stoppedByPolicy,
  "SVC-P016": unused,
  "SVC-P017": computedContact,
} as const satisfies { readonly [code: string]: Check };

function weakPurpose({ rules, manifest: { permissions, network } }: Package): Found[] {
  const least = rules.parameters["SVC-P003"].length;
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

function networkDisagrees({ rules, manifest }: Package): Found[] {
  const known = rules.parameters["SVC-P008"];
  const allowed = manifest.network.allow.map((origin, at) => ({ pointer: `/network/allow/${at}`, host: hostSource(origin) }));
  const fetches = manifest.permissions.some(({ permission }) => permission === "network.fetch");
  const sources = sourcesOf(manifest);
  const others = sources.filter(({ directive }) => !isOneOf(directive, known["code-directives"]));
  const unknown = others.filter((source) => {
    const host = hostOf(known, source);
    return host !== undefined && !allowed.some((origin) => isWithin(host, origin.host));
  });
  return [
    ...foundIf(allowed.length > 0 !== fetches, "/network/allow"),
    ...unknown.map(({ pointer }) => ({ pointer })),
    ...shutOrigins(rules, manifest, sources, allowed),
  ];
}

/** The allowed origins that no directive lets through. A slip in the policy is told alone. */
function shutOrigins(
  { parameters }: Rules,
  { entry: { csp = {} } }: Manifest,
  sources: readonly Source[],
  allowed: readonly { readonly pointer: string; readonly host: HostSource }[],
): Found[] {
  const isDeclared = parameters["SVC-P006"]["fetch-directives"].some((directive) => Object.hasOwn(csp, directive));
  const known = parameters["SVC-P008"];
  if (!isDeclared || sources.some((source) => isMisspelt(known, source))) return [];
  const hosts = sources.map((source) => hostOf(known, source)).filter((host) => host !== undefined);
  const passes = (origin: HostSource) => sources.some(isScheme) || hosts.some((host) => letsIn(host, origin));
  const shut = allowed.filter(({ host }) => !passes(host));
  return shut.map(({ pointer }) => ({ pointer, severity: "warning" }));
}

function loosePolicy({ rules, manifest }: Package): Found[] {
  const known = rules.parameters["SVC-P008"];
  return sourcesOf(manifest).flatMap((source): Found[] => {
    const { directive, pointer, word } = source;
    if (isMisspelt(known, source)) return [{ pointer }];
    const isDoubtful = isOneOf(word, known.doubtful) || isOneOf(`${directive} ${word}`, known.doubtful);
    return isDoubtful ? [{ pointer, severity: "warning" }] : foundIf(isLoose(known, source), pointer);
  });
}

function isLoose(known: PolicyWords, source: Source): boolean {
  const { directive, isAlone, word } = source;
  if (known.nonce.some((start) => word.startsWith(start)) || (word === "'none'" && !isAlone)) return true;
  if (isOneOf(directive, known["code-directives"]) && hostOf(known, source) !== undefined) return true;
  const isMedia = isOneOf(directive, known["media-directives"]) && isOneOf(word, known["media-sources"]);
  return (isOneOf(word, known.sources) || word.endsWith(":")) && !isMedia;
}
