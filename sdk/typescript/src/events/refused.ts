/** Why a log is not served, by what was answered in its place. */

import { refusal } from "../client/answer.js";
import { EventError, type RegistryClientError } from "../client/errors.js";
import type { Reply } from "../client/exchange.js";
import { orUnreachable } from "../client/intermediary.js";

/** Why a registry does not serve its log from where it was asked for. Throws where the answer is none of a registry. */
export function refusedBy(reply: Reply): RegistryClientError {
  const { problem } = problemIn(reply);
  const context = { problem, retryAfterMs: reply.retryAfterMs };
  if (problem.code === "ahead-of-log") return new EventError("follow-ahead-of-log", "the log is shorter than what was seen of it: it was put back, or it is another one", context);
  if (problem.code === "pruned") return new EventError("follow-pruned", "the log no longer keeps the records to go on with", context);
  return new EventError("follow-refused", `the registry does not serve its log: ${problem.status}`, context);
}

function problemIn(reply: Reply): ReturnType<typeof refusal> {
  try {
    return refusal(reply);
  } catch (cause) {
    return orUnreachable(cause);
  }
}
