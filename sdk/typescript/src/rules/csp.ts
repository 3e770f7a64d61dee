/** The sources of a content security policy, as a browser reads them. */

import type { Manifest } from "../parts.js";
import { asciiLowercase } from "../unicode.js";
import { isOneOf } from "./package.js";
import type { RuleParameters } from "./rule-set.js";

/** The words of policies that rules know. */
export type PolicyWords = RuleParameters["SVC-P008"];

/** One source of a policy. */
export interface Source {
  readonly pointer: string;
  readonly directive: string;
  readonly text: string;
  /** In lowercase, as words are compared. */
  readonly word: string;
  /** Whether no others stand beside it. */
  readonly isAlone: boolean;
}

/** Every source of the policy. */
export function sourcesOf({ entry: { csp = {} } }: Manifest): Source[] {
  return Object.entries(csp).flatMap(([directive, sources]: [string, readonly string[]]) =>
    sources.map((text, at) => ({
      pointer: `/entry/csp/${directive}/${at}`,
      directive,
      text,
      word: asciiLowercase(text),
      isAlone: sources.length === 1,
    })),
  );
}

/** Whether a source is a word in quotes that no browser knows, or a word without its quotes. */
export function isMisspelt({ digests, keywords, nonce }: PolicyWords, { word }: Source): boolean {
  const isMade = word.endsWith("'") && [...digests, ...nonce].some((start) => word.startsWith(start));
  const isKnown = isOneOf(word, keywords) || isMade;
  return (word.startsWith("'") && !isKnown) || isOneOf(`'${word}'`, keywords);
}

/** Whether a source lets a whole scheme in, or everything. */
export function isScheme({ text }: Source): boolean {
  return text.endsWith(":") || text === "*";
}

/**
 * The host that a source names. Words stand in quotes and schemes end with a colon; a browser takes all else for the name
 * of a host, `localhost:8080` too.
 */
export function hostOf(known: PolicyWords, source: Source): HostSource | undefined {
  const isWord = source.text.startsWith("'") || isMisspelt(known, source);
  return isWord || isScheme(source) ? undefined : hostSource(source.text);
}

/** A source that names hosts: `https://*.acme.dev:8443/path`. */
export interface HostSource {
  readonly scheme: string | undefined;
  /** Without the `*.` of a wildcard; empty for every host. */
  readonly host: string;
  readonly isWildcard: boolean;
  readonly port: string | undefined;
}

/** Reads a source that names hosts. */
export function hostSource(text: string): HostSource {
  const [scheme, rest] = splitOnce(asciiLowercase(text), "://");
  const [authority] = (rest ?? scheme).split("/");
  const [host, port] = splitOnce(authority ?? "", ":");
  const isWildcard = host === "*" || host.startsWith("*.");
  return {
    scheme: rest === undefined ? undefined : scheme,
    host: isWildcard ? host.slice(2) : host,
    isWildcard,
    port: port === "443" ? undefined : port,
  };
}

/** Whether an allowed origin covers all that a source lets in. `wss` goes over the same encrypted connection. */
export function isWithin(source: HostSource, allowed: HostSource): boolean {
  const isEncrypted = source.scheme === "https" || source.scheme === "wss";
  return isEncrypted && source.port === allowed.port && hasHost(allowed, source);
}

/** Whether a connection to some host of an allowed origin passes. */
export function letsIn(source: HostSource, allowed: HostSource): boolean {
  const isPort = source.port === allowed.port || source.port === "*";
  return isPort && (hasHost(source, allowed) || hasHost(allowed, source));
}

function hasHost(wide: HostSource, narrow: HostSource): boolean {
  if (!wide.isWildcard) return !narrow.isWildcard && wide.host === narrow.host;
  const isBelow = narrow.host.endsWith(`.${wide.host}`);
  return wide.host === "" || isBelow || (narrow.isWildcard && wide.host === narrow.host);
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}
