/** Where requests go. */

import { BASE_PATH } from "../generated/table.js";
import { RegistryClientError } from "./errors.js";

/** The address of a registry without its base path and a slash at its end. Plain http is for this machine alone. */
export function baseAddress(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new RegistryClientError("configuration", "baseUrl is not an absolute address", { cause });
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new RegistryClientError("configuration", "baseUrl has credentials, a query or a fragment");
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new RegistryClientError("configuration", "baseUrl must be https, unless it is on this machine");
  }
  const address = url.href.replace(/\/+$/, "");
  return address.endsWith(BASE_PATH) ? address.slice(0, -BASE_PATH.length) : address;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
