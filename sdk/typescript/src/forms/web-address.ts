/** Web addresses in manifests: https, a public name, no credentials. */

import { isWhiteSpace, utf8Length } from "../unicode.js";

const SCHEME = "https://";
const MOST_BYTES = 2048;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const LOCAL: ReadonlySet<string> = new Set(["localhost", "local", "internal", "localdomain", "onion", "arpa"]);

/** Whether a text is an https address of a page. */
export function isHttpsUrl(text: string): boolean {
  if (!text.startsWith(SCHEME) || utf8Length(text) > MOST_BYTES || /[\\@<>"]/.test(text)) return false;
  for (let at = 0; at < text.length; at += 1) if (isWhiteSpace(text.charCodeAt(at))) return false;
  return isAuthority(text.slice(SCHEME.length).split(/[/?#]/)[0] ?? "");
}

/** Whether a text is an origin; `https://*.acme.dev` stands for every sub-domain. */
export function isOrigin(text: string): boolean {
  if (!text.startsWith(SCHEME)) return false;
  const rest = text.slice(SCHEME.length);
  return isAuthority(rest.startsWith("*.") ? rest.slice(2) : rest);
}

function isAuthority(authority: string): boolean {
  const colon = authority.indexOf(":");
  if (colon < 0) return isPublicHost(authority);
  return isPublicHost(authority.slice(0, colon)) && isPort(authority.slice(colon + 1));
}

function isPort(port: string): boolean {
  return /^[1-9][0-9]*$/.test(port) && Number(port) <= 65535;
}

/** A DNS name of two labels or more whose last label is not a number, and which is not local by definition. */
function isPublicHost(host: string): boolean {
  const labels = host.split(".");
  const last = labels.at(-1) ?? "";
  const numeric = /^[0-9]*$/.test(last) || last.startsWith("0x");
  return host.length <= 253 && labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !numeric && !LOCAL.has(last);
}
