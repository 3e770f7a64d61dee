/**
 * One request and its answer, within bounds of time and size.
 *
 * A request is sent again only when it did not get there, or when the registry asks to come back (429 or 503 with
 * Retry-After). Every evaluation gives the same answer twice, so sending again changes nothing.
 */

import { joined } from "../bytes.js";
import { LIMITS } from "../generated/limits.js";
import { RegistryClientError, UnexpectedAnswerError } from "./errors.js";

/** The part of `fetch` that is used. */
export type Fetch = (address: string, request: RequestInit) => Promise<Response>;

/** A request. */
export interface Request {
  readonly method: "GET" | "POST";
  readonly address: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: Uint8Array;
}

/** An answer with its whole body. */
export interface Reply {
  readonly status: number;
  readonly mediaType: string;
  readonly body: Uint8Array;
}

/** How often and how long. */
const TRIES = 4;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 60_000;
/** An answer to an index speaks of every entry, so it may be as long as one. */
const MOST_BYTES = LIMITS.index;

/** Sends a request until there is an answer that is not "later". */
export async function exchange(fetch: Fetch, request: Request, timeoutMs: number): Promise<Reply> {
  for (let tried = 1; ; tried += 1) {
    const result = await attempt(fetch, request, timeoutMs);
    const waitMs = waitBeforeAnother(result, tried);
    if (waitMs === undefined || tried >= TRIES) {
      if ("error" in result) throw result.error;
      return result.reply;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

type Attempt = { readonly reply: Reply; readonly retryAfter: string | null } | { readonly error: RegistryClientError };

async function attempt(fetch: Fetch, request: Request, timeoutMs: number): Promise<Attempt> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const response = await fetch(request.address, {
      method: request.method,
      headers: request.headers,
      body: (request.body ?? null) as BodyInit | null,
      signal: abort.signal,
      // A token goes to the address that it is for, and nowhere else.
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      throw new UnexpectedAnswerError(response.status, "the registry answered with a redirect; none is followed");
    }
    const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    const body = await readBody(response);
    return { reply: { status: response.status, mediaType, body }, retryAfter: response.headers.get("retry-after") };
  } catch (cause) {
    if (cause instanceof UnexpectedAnswerError) throw cause;
    if (abort.signal.aborted) {
      return { error: new RegistryClientError("timeout", `no whole answer within ${timeoutMs} ms`, { cause }) };
    }
    return { error: new RegistryClientError("unreachable", "the registry cannot be reached", { cause }) };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads no more than the bound, whatever the registry says about the length. */
async function readBody(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > MOST_BYTES) {
      await reader.cancel();
      throw new UnexpectedAnswerError(response.status, `the answer is larger than ${MOST_BYTES} bytes`);
    }
    chunks.push(part.value);
  }
  return joined(chunks);
}

function waitBeforeAnother(result: Attempt, tried: number): number | undefined {
  if ("error" in result) return result.error.code === "unreachable" ? FIRST_WAIT_MS * tried : undefined;
  const { reply, retryAfter } = result;
  if ((reply.status !== 429 && reply.status !== 503) || retryAfter === null || !/^\d{1,6}$/.test(retryAfter)) return undefined;
  const waitMs = Number(retryAfter) * 1000;
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
}
