/** Whose name a package bears. */

import { asciiLowercase } from "../unicode.js";

/** The host of the publisher's address, without a leading `www.`, when the id lies below its reverse. */
export function proofHost(id: string, url: string): string | undefined {
  const host = /^https:\/\/(?:www\.(?=[^/?#:]*\.))?([^/?#:]*)/.exec(url)?.[1];
  if (host === undefined) return undefined;
  return id.startsWith(`${host.split(".").reverse().join(".")}.`) ? host : undefined;
}

/**
 * Whether an id lies below a repository's owner: an account, or every group from the outermost on. Accounts are compared
 * without regard to case, as the services do. A dot in one would make it look like a group, so nothing lies below it.
 */
export function liesBelow(id: string, namespace: string, owner: string): boolean {
  return !owner.includes(".") && id.startsWith(`${namespace}.${asciiLowercase(owner).replaceAll("/", ".")}.`);
}
