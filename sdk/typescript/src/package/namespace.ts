/** Whose name a package bears. */

/** The host of the publisher's address, without a leading `www.`, when the id lies below its reverse. */
export function proofHost(id: string, url: string): string | undefined {
  const host = /^https:\/\/(?:www\.(?=[^/?#:]*\.))?([^/?#:]*)/.exec(url)?.[1];
  if (host === undefined) return undefined;
  return id.startsWith(`${host.split(".").reverse().join(".")}.`) ? host : undefined;
}
