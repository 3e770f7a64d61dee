/** Where the bytes of a stream come from. */

import { Deadline } from "../client/deadline.js";
import { RegistryClientError, UnexpectedAnswerError } from "../client/errors.js";
import { asClientError, readBody, requestIdOf } from "../client/exchange.js";
import { orUnreachable } from "../client/intermediary.js";
import { retryAfterOf } from "../client/retry-after.js";
import { refusedBy } from "./refused.js";

/** The bytes of a stream: as an answer, as the platform's stream, or from anything that gives them one after the other. */
export type ByteSource = Response | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** More than a problem has. */
const MOST_PROBLEM_BYTES = 262_144;
const DEFAULT_ANSWER_MS = 30_000;
const CUT = "the way was cut before the end";

/** How long to wait for the next bytes, and when nobody waits any longer. */
export interface Patience {
  /** The most milliseconds without a byte; a registry sends one every ten seconds. */
  readonly idleMs: number;
  /** The most milliseconds for an answer that is no stream. */
  readonly answerMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The bytes of a source, which ends with whoever reads them. Throws when the source is an answer without a stream, and when it
 * is cut: whatever a platform throws then, it is the way that failed.
 */
export async function* bytesOf(source: ByteSource, patience?: Patience): AsyncGenerator<Uint8Array> {
  const body = source instanceof Response ? await bodyOf(source, patience) : source;
  if (!isSource(body)) throw new RegistryClientError("configuration", "the source is neither an answer nor a stream of bytes");
  if ("locked" in body && body.locked) throw new RegistryClientError("configuration", "the source is read by somebody already");
  try {
    if ("getReader" in body) yield* chunksOf(body.getReader(), patience);
    else yield* body;
  } catch (cause) {
    throw asClientError(cause, CUT);
  }
}

function isSource(body: unknown): boolean {
  return typeof body === "object" && body !== null && ("getReader" in body || Symbol.asyncIterator in body);
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>, patience: Patience | undefined): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const part = patience === undefined ? await reader.read() : await within(patience, reader.read());
      if (part.done) return;
      yield part.value;
    }
  } finally {
    // Nobody waits for whoever sends it to notice.
    reader.cancel().catch(() => {});
  }
}

/** Whatever comes within the time. */
async function within<T>({ idleMs, signal }: Patience, work: Promise<T>): Promise<T> {
  const deadline = new Deadline(idleMs, signal);
  try {
    return await deadline.hold(work);
  } finally {
    deadline.clear();
  }
}

/** The stream in an answer; whatever else it is, is thrown. */
async function bodyOf(response: Response, patience: Patience | undefined): Promise<ReadableStream<Uint8Array>> {
  const head = { status: response.status, requestId: requestIdOf(response) };
  const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const isRedirect = response.type === "opaqueredirect" || response.redirected || (response.status >= 300 && response.status < 400);
  if (!isRedirect && response.status === 200 && mediaType === "text/event-stream" && response.body !== null) return response.body;
  if (isRedirect || response.status === 200) {
    response.body?.cancel().catch(() => {});
    if (isRedirect) throw new UnexpectedAnswerError("redirect", head, "the registry answered with a redirect; none is followed");
    throw new UnexpectedAnswerError("unexpected-answer", head, "the answer is not a stream of events");
  }
  throw await refusalIn(response, { ...head, mediaType, retryAfterMs: retryAfterOf(response) }, patience);
}

/** Why there is no stream. The caller's own patience is for these bytes too: they are of one exchange. */
async function refusalIn(response: Response, head: Omit<Parameters<typeof refusedBy>[0], "body">, patience: Patience | undefined): Promise<RegistryClientError> {
  const deadline = new Deadline(patience?.answerMs ?? DEFAULT_ANSWER_MS, patience?.signal);
  try {
    return refusedBy({ ...head, body: await readBody(response, head, MOST_PROBLEM_BYTES, deadline) });
  } catch (cause) {
    return orUnreachable(asClientError(cause, CUT, head.requestId));
  } finally {
    deadline.clear();
  }
}
