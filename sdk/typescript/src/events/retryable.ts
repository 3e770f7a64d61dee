/** What failed on the way, and is tried again. Everything else is an answer. */

import { EventError, RegistryClientError, UnexpectedAnswerError } from "../client/errors.js";
import { isLater } from "../client/status.js";

/** Whether nothing is known but that nothing came: nobody was reached, or whoever was asks to come back. */
export function isRetryable(cause: unknown): cause is RegistryClientError {
  if (cause instanceof EventError) return cause.code === "follow-refused" && isLater(cause.problem?.status ?? 0);
  return cause instanceof RegistryClientError && (cause.code === "unreachable" || cause.code === "timeout");
}

/** Whether no lie was told: the way failed, or the caller had no more use for it. */
export function isNoLie(cause: unknown): boolean {
  return isRetryable(cause) || (cause instanceof RegistryClientError && cause.code === "aborted");
}

/** Why it is tried again. */
export function reasonOf(cause: RegistryClientError | undefined): "unreachable" | "asked-to-wait" | "ended" {
  if (cause === undefined) return "ended";
  return cause instanceof EventError || cause.retryAfterMs !== undefined ? "asked-to-wait" : "unreachable";
}

/** What was answered, by the registry or in its place. */
export function statusOf(cause: RegistryClientError | undefined): number | undefined {
  if (cause instanceof EventError) return cause.problem?.status;
  return cause?.cause instanceof UnexpectedAnswerError ? cause.cause.status : undefined;
}
