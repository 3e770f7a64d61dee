/**
 * One request and its answer, within bounds of time and size.
 *
 * A request is sent again only when it did not get there, or when the registry asks to come back (429 or 503 with
 * Retry-After). Every evaluation gives the same answer twice, so sending again changes nothing.
 */

import { joined } from "../bytes.js";
import { frozen } from "../frozen.js";
import { LIMITS } from "../generated/limits.js";
import { Deadline, Stopped } from "./deadline.js";
import { type AnswerHead, RegistryClientError, UnexpectedAnswerError } from "./errors.js";
import type { RegistryClientHooks, RequestEvent } from "./hooks.js";
import { retryAfterOf } from "./retry-after.js";
import { isRefusal } from "./status.js";

/** The part of `fetch` that is used. */
export type Fetch = (address: string, request: RequestInit) => Promise<Response>;

/** A request. */
export interface Request {
  readonly method: "GET" | "POST";
  readonly address: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: Uint8Array;
  /** The most bytes of an answer; as many as an index may have unless given. */
  readonly mostBytes?: number;
}

/** How requests are sent. */
export interface Sender {
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly hooks: RegistryClientHooks;
}

/** An answer with its whole body. */
export interface Reply {
  readonly status: number;
  readonly mediaType: string;
  readonly requestId: string | undefined;
  /** How long whoever answered asks to wait. */
  readonly retryAfterMs: number | undefined;
  readonly body: Uint8Array;
}

/** How often and how long. */
const TRIES = 4;
const FIRST_WAIT_MS = 250;
/** The longest wait that anybody may ask for. */
export const LONGEST_ASKED_MS = 60_000;
/** An answer to an index speaks of every entry, so it may be as long as one. */
const MOST_BYTES = LIMITS.index;
const REQUEST_ID = /^[0-9A-Za-z-]{1,64}$/;

/** Sends a request until there is an answer that is not "later", or the caller has no more use for it. */
export async function exchange(sender: Sender, request: Request, signal?: AbortSignal): Promise<Reply> {
  const { method, address } = request;
  for (let attempt = 1; ; attempt += 1) {
    const event: RequestEvent = frozen({ method, address, attempt });
    const result = await send(sender, request, event, signal);
    const waitMs = attempt >= TRIES ? undefined : waitBeforeAnother(result, attempt);
    if (waitMs === undefined) {
      if ("error" in result) throw result.error;
      return result.reply;
    }
    const status = "reply" in result ? result.reply.status : undefined;
    sender.hooks.onRetry?.(frozen({ ...event, reason: status === undefined ? "unreachable" : "asked-to-wait", status, waitMs }));
    await pause(waitMs, signal);
  }
}

/** Sends a request once, and gives the answer as soon as its head is there: whoever asked reads the body, or ends it. */
export async function openStream({ fetch, timeoutMs, hooks }: Sender, request: Request, signal?: AbortSignal): Promise<Response> {
  const event: RequestEvent = frozen({ method: request.method, address: request.address, attempt: 1 });
  const deadline = new Deadline(timeoutMs, signal);
  try {
    deadline.check();
    hooks.onRequest?.(event);
    const sent = Date.now();
    const response = await reached(deadline, () => fetch(request.address, initOf(request, deadline.signal)));
    if (response instanceof RegistryClientError) throw response;
    hooks.onResponse?.(frozen({ ...event, status: response.status, requestId: requestIdOf(response), milliseconds: Date.now() - sent }));
    return response;
  } finally {
    deadline.clear();
  }
}

type Attempt = { readonly reply: Reply } | { readonly error: RegistryClientError };

async function send({ fetch, timeoutMs, hooks }: Sender, request: Request, event: RequestEvent, signal?: AbortSignal): Promise<Attempt> {
  const deadline = new Deadline(timeoutMs, signal);
  try {
    deadline.check();
    hooks.onRequest?.(event);
    const sent = Date.now();
    const response = await reached(deadline, () => fetch(request.address, initOf(request, deadline.signal)));
    if (response instanceof RegistryClientError) return { error: response };
    const seen = { status: response.status, requestId: requestIdOf(response) };
    const head = { ...seen, retryAfterMs: retryAfterOf(response) };
    hooks.onResponse?.(frozen({ ...event, ...seen, milliseconds: Date.now() - sent }));
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      response.body?.cancel().catch(() => {});
      throw new UnexpectedAnswerError("redirect", head, "the registry answered with a redirect; none is followed");
    }
    const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    const body = await reached(deadline, () => readBody(response, head, request.mostBytes ?? MOST_BYTES, deadline), head.requestId);
    if (body instanceof RegistryClientError) return { error: body };
    return { reply: { ...head, mediaType, body } };
  } finally {
    deadline.clear();
  }
}

function initOf({ method, headers, body }: Request, signal: AbortSignal): RequestInit {
  return {
    method,
    headers,
    body: (body ?? null) as BodyInit | null,
    signal,
    // A token goes to the address that it is for, and nowhere else.
    redirect: "manual",
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  };
}

/** What came, or why nothing did. What is final is thrown: an end by the caller, too little time, an answer that is none. */
async function reached<T>(deadline: Deadline, ask: () => Promise<T>, requestId?: string): Promise<T | RegistryClientError> {
  try {
    return await deadline.hold(ask());
  } catch (cause) {
    const error = asClientError(cause, "the registry cannot be reached", requestId);
    if (error.code === "unreachable") return error;
    throw error;
  }
}

/** What came up while something was asked for or read, for the caller: whatever a platform throws then is the way's. */
export function asClientError(cause: unknown, message: string, requestId?: string): RegistryClientError {
  if (cause instanceof RegistryClientError) return cause;
  if (cause instanceof Stopped) return cause.errorFor(requestId);
  return new RegistryClientError("unreachable", message, { cause, requestId });
}

export function requestIdOf(response: Response): string | undefined {
  const name = response.headers.get("svc-request-id");
  return name !== null && REQUEST_ID.test(name) ? name : undefined;
}

/**
 * Reads no more than the bound, whatever the registry says about the length, and however little it sent for it. No registry
 * refuses at such a length.
 */
export async function readBody(response: Response, head: AnswerHead, most: number, deadline: Deadline): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let part = await deadline.hold(reader.read()); !part.done; part = await deadline.hold(reader.read())) {
      size += part.value.length;
      if (size > most) throw new UnexpectedAnswerError("too-large", { ...head, fromIntermediary: isRefusal(head.status) }, `the answer is larger than ${most} bytes`);
      chunks.push(part.value);
    }
  } catch (cause) {
    // Nobody waits for the rest, nor for whoever sends it to notice.
    reader.cancel().catch(() => {});
    throw cause;
  }
  return joined(chunks);
}

function waitBeforeAnother(result: Attempt, tried: number): number | undefined {
  if ("error" in result) return FIRST_WAIT_MS * tried;
  const { status, retryAfterMs } = result.reply;
  if ((status !== 429 && status !== 503) || retryAfterMs === undefined) return undefined;
  return retryAfterMs <= LONGEST_ASKED_MS ? retryAfterMs : undefined;
}

/** Waits, unless the caller ends it. */
export async function pause(waitMs: number, signal?: AbortSignal): Promise<void> {
  const deadline = new Deadline(waitMs, signal);
  try {
    await deadline.hold(new Promise(() => {}));
  } catch (cause) {
    if (cause instanceof Stopped && cause.code === "aborted") throw cause.errorFor(undefined);
  } finally {
    deadline.clear();
  }
}
