/**
 * Whose an answer is. A registry refuses in closed problems alone: whatever else comes with the status of a refusal was said by
 * somebody on the way, such as a balancer or a firewall. Nothing is known by it but that nothing came.
 */

import { FLAGS } from "../closed.js";
import { type Document, get, type Node } from "../strict-json/tree.js";
import { RegistryClientError, UnexpectedAnswerError } from "./errors.js";
import type { Reply } from "./exchange.js";
import { isLater, isRefusal } from "./status.js";

/** The media type of a problem. */
export const PROBLEM_TYPE = "application/problem+json";

/** Whether somebody on the way answered. A closed problem in another form than this version's is still of a registry. */
export function isFromIntermediary({ status, mediaType }: Pick<Reply, "status" | "mediaType">, { root, faults }: Document): boolean {
  return isRefusal(status) && !(mediaType === PROBLEM_TYPE && faults.length === 0 && FLAGS.every((flag) => isFalse(get(root, flag))));
}

/**
 * Throws what is wrong with an answer. When somebody on the way gave it, in a form of its own and at any length, or when its status
 * says later, it is the way that failed. A yes stays one.
 */
export function orUnreachable(cause: unknown): never {
  if (!(cause instanceof UnexpectedAnswerError && (cause.fromIntermediary || isLater(cause.status)))) throw cause;
  const { requestId, retryAfterMs, status } = cause;
  throw new RegistryClientError("unreachable", `somebody before the registry answered ${status}`, { cause, requestId, retryAfterMs });
}

function isFalse(node: Node | undefined): boolean {
  return node?.type === "boolean" && !node.value;
}
