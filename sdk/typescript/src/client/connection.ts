/** The way to one registry: its address, the token, and how requests are sent. */

import { baseAddress } from "./address.js";
import { RegistryClientError } from "./errors.js";
import { exchange, type Fetch, openStream, type Reply, type Sender } from "./exchange.js";
import type { RegistryClientHooks } from "./hooks.js";

/** How to reach a registry. */
export interface ConnectionOptions extends RegistryClientHooks {
  /** The address of the registry, https unless it is on this machine. */
  readonly baseUrl: string;
  /** Another `fetch` than the platform's. */
  readonly fetch?: Fetch;
  /** A token. It is sent to `baseUrl` and nowhere else. */
  readonly token?: string;
  /** The most milliseconds for one exchange; 30,000 unless given. */
  readonly timeoutMs?: number;
}

/** What every call takes beside its subject. */
export interface CallOptions {
  /** Ends the call, its waits included. */
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const TOKEN = /^[\x21-\x7e]+$/;

/** Sends requests below one address. */
export class Connection {
  readonly #base: string;
  readonly #sender: Sender;
  readonly #authorization: { readonly [name: string]: string };

  constructor({ baseUrl, fetch, token, timeoutMs = DEFAULT_TIMEOUT_MS, ...hooks }: ConnectionOptions) {
    this.#base = baseAddress(baseUrl);
    if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2 ** 31 - 1) {
      throw new RegistryClientError("configuration", "timeoutMs is not a number of milliseconds");
    }
    if (token !== undefined && !TOKEN.test(token)) {
      throw new RegistryClientError("configuration", "the token holds characters that no token has");
    }
    this.#sender = { fetch: fetch ?? ((address, request) => globalThis.fetch(address, request)), timeoutMs, hooks };
    this.#authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** The most milliseconds for one exchange. */
  get timeoutMs(): number {
    return this.#sender.timeoutMs;
  }

  /** Asks for a document. */
  get(path: string, { signal }: CallOptions, form: { readonly accept: string; readonly mostBytes?: number } = { accept: "application/json" }): Promise<Reply> {
    const { accept, ...bounds } = form;
    const headers = { accept, ...this.#authorization };
    return exchange(this.#sender, { method: "GET", address: this.#base + path, headers, ...bounds }, signal);
  }

  /** Asks for a stream of events, from behind the last one that came. */
  stream(path: string, { signal }: CallOptions, lastEventId: number | undefined): Promise<Response> {
    const from = lastEventId === undefined ? {} : { "last-event-id": String(lastEventId) };
    const headers = { accept: "text/event-stream", ...from, ...this.#authorization };
    return openStream(this.#sender, { method: "GET", address: this.addressOf(path), headers }, signal);
  }

  /** Where a path is. */
  addressOf(path: string): string {
    return this.#base + path;
  }

  /** Sends a document. */
  post(path: string, body: Uint8Array, { signal }: CallOptions): Promise<Reply> {
    const headers = { accept: "application/json", "content-type": "application/json", ...this.#authorization };
    return exchange(this.#sender, { method: "POST", address: this.#base + path, headers, body }, signal);
  }
}
