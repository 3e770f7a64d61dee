/** What failed on the way, and is tried again. Everything else is an answer. */

import { EventError, RegistryClientError } from "../client/errors.js";
import { isLater } from "../client/exchange.js";

const FAILED_ITSELF = 500;

/** Whether nothing is known but that nothing came: nobody was reached, or whoever was asks to come back. */
export function isOfTheWay(cause: unknown): cause is RegistryClientError {
  if (cause instanceof EventError) return cause.code === "follow-refused" && isPassing(cause.problem?.status ?? 0);
  return cause instanceof RegistryClientError && (cause.code === "unreachable" || cause.code === "timeout");
}

/** Whether no lie was told: the way failed, or the caller had no more use for it. */
export function isNoLie(cause: unknown): boolean {
  return isOfTheWay(cause) || (cause instanceof RegistryClientError && cause.code === "aborted");
}

/** Why it is tried again. */
export function reasonOf(cause: RegistryClientError | undefined): "unreachable" | "asked-to-wait" | "ended" {
  if (cause === undefined) return "ended";
  return cause instanceof EventError || cause.retryAfterMs !== undefined ? "asked-to-wait" : "unreachable";
}

function isPassing(status: number): boolean {
  return isLater(status) || status === FAILED_ITSELF;
}
