/** Where the bytes of a stream come from. */

import { EventError, RegistryClientError, UnexpectedAnswerError } from "../client/errors.js";
import { Deadline, Stopped } from "../client/deadline.js";
import { refusal } from "../client/answer.js";
import { readBody, requestIdOf } from "../client/exchange.js";

/** The bytes of a stream: as an answer, as the platform's stream, or from anything that gives them one after the other. */
export type ByteSource = Response | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** More than a problem has. */
const MOST_PROBLEM_BYTES = 262_144;
const PROBLEM_MS = 30_000;

/** How long to wait for the next bytes, and when nobody waits any longer. */
export interface Patience {
  /** The most milliseconds without a byte; a registry sends one every ten seconds. */
  readonly idleMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The bytes of a source, which ends with whoever reads them. Throws when the source is an answer without a stream. */
export async function* bytesOf(source: ByteSource, patience?: Patience): AsyncGenerator<Uint8Array> {
  const body = source instanceof Response ? await bodyOf(source) : source;
  if ("getReader" in body) yield* chunksOf(body.getReader(), patience);
  else if (Symbol.asyncIterator in body) yield* body;
  else throw new RegistryClientError("configuration", "the source is neither an answer nor a stream of bytes");
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
export async function within<T>({ idleMs, signal }: Patience, work: Promise<T>): Promise<T> {
  const deadline = new Deadline(idleMs, signal);
  try {
    return await deadline.hold(work);
  } catch (cause) {
    throw cause instanceof Stopped ? cause.errorFor(undefined) : cause;
  } finally {
    deadline.clear();
  }
}

/** The stream in an answer; whatever else it is, is thrown. */
async function bodyOf(response: Response): Promise<ReadableStream<Uint8Array>> {
  const head = { status: response.status, requestId: requestIdOf(response) };
  const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const isRedirect = response.type === "opaqueredirect" || response.redirected || (response.status >= 300 && response.status < 400);
  if (!isRedirect && response.status === 200 && mediaType === "text/event-stream" && response.body !== null) return response.body;
  if (isRedirect || response.status === 200) {
    response.body?.cancel().catch(() => {});
    if (isRedirect) throw new UnexpectedAnswerError("redirect", head, "the registry answered with a redirect; none is followed");
    throw new UnexpectedAnswerError("unexpected-answer", head, "the answer is not a stream of events");
  }
  const deadline = new Deadline(PROBLEM_MS, undefined);
  try {
    const body = await readBody(response, head, MOST_PROBLEM_BYTES, deadline);
    throw refusedBy({ ...head, mediaType, body });
  } catch (cause) {
    throw cause instanceof Stopped ? cause.errorFor(head.requestId) : cause;
  } finally {
    deadline.clear();
  }
}

/** Why a registry does not serve its log from where it was asked for. */
export function refusedBy(reply: Parameters<typeof refusal>[0]): EventError {
  const { problem } = refusal(reply);
  if (problem.code === "ahead-of-log") return new EventError("follow-ahead-of-log", "the log is shorter than what was seen of it: it was put back, or it is another one", { problem });
  if (problem.code === "pruned") return new EventError("follow-pruned", "the log no longer keeps the records to go on with", { problem });
  return new EventError("follow-refused", `the registry does not serve its log: ${problem.status}`, { problem });
}
