/** Why a log is not served, by what was answered in its place. */

import { refusal } from "../client/answer.js";
import { EventError, RegistryClientError, UnexpectedAnswerError } from "../client/errors.js";
import { isLater, type Reply } from "../client/exchange.js";

/** Why a registry does not serve its log from where it was asked for. Throws where the answer is none of a registry. */
export function refusedBy(reply: Reply): RegistryClientError {
  const { problem } = problemIn(reply);
  const context = { problem, retryAfterMs: reply.retryAfterMs };
  if (problem.code === "ahead-of-log") return new EventError("follow-ahead-of-log", "the log is shorter than what was seen of it: it was put back, or it is another one", context);
  if (problem.code === "pruned") return new EventError("follow-pruned", "the log no longer keeps the records to go on with", context);
  return new EventError("follow-refused", `the registry does not serve its log: ${problem.status}`, context);
}

/**
 * Throws what is wrong with an answer. Whoever stands before a registry that is not there answers for it, in a form of its own
 * and at any length: when its status says later, it is the way that failed. A yes stays one.
 */
export function orLater(cause: unknown, retryAfterMs?: number): never {
  if (!(cause instanceof UnexpectedAnswerError && isLater(cause.status))) throw cause;
  const { requestId, status } = cause;
  throw new RegistryClientError("unreachable", `somebody before the registry answered ${status}`, { cause, requestId, retryAfterMs });
}

function problemIn(reply: Reply): ReturnType<typeof refusal> {
  try {
    return refusal(reply);
  } catch (cause) {
    return orLater(cause, reply.retryAfterMs);
  }
}
