/** The files of a log, as a registry serves them below one address. */

import { BASE_PATH } from "../generated/table.js";
import type { ReadNotes } from "../receipt/known-keys.js";
import type { ReadTile } from "../receipt/tiles.js";
import { refusal } from "./answer.js";
import type { CallOptions, Connection } from "./connection.js";
import { ContractError, RegistryClientError } from "./errors.js";
import type { Reply } from "./exchange.js";
import { orUnreachable } from "./intermediary.js";
import { isLater, isRefusal } from "./status.js";

export const JOURNAL_PATH = `${BASE_PATH}/journal/`;
/** What a checkpoint may have with the lines of a hundred witnesses, and more than a tile or a problem has. */
const MOST_BYTES = 65_536;
/** A record of at most 64 KiB in base64, and the path and checkpoint that prove it. */
export const MOST_PROOF_BYTES = 3 * MOST_BYTES;

/** Asks for a file of text. */
export function getText(connection: Connection, name: string, call: CallOptions, mostBytes = MOST_BYTES): Promise<Reply> {
  return connection.get(JOURNAL_PATH + name, call, { accept: "text/plain", mostBytes });
}

/** The tiles of the log. One that comes later, or that somebody on the way does not let through, is no sign that the log has it not. */
export function tilesOf(connection: Connection, call: CallOptions): ReadTile {
  return async (path) => {
    const reply = await connection.get(JOURNAL_PATH + path, call, { accept: "application/octet-stream", mostBytes: MOST_BYTES }).catch(orUnreachable);
    const { status, requestId, retryAfterMs } = reply;
    if (isLater(status)) throw new RegistryClientError("unreachable", `a tile of the log is not to be had now: ${status}`, { requestId, retryAfterMs });
    if (isRefusal(status)) expectRefusal(reply);
    return status === 200 ? reply.body : undefined;
  };
}

/** The notes of the log from key to key, where it serves any. */
export function notesOf(connection: Connection, call: CallOptions): ReadNotes {
  return async () => {
    const reply = await getText(connection, "hand-overs", call).catch(orUnreachable);
    const { status, requestId, retryAfterMs } = reply;
    if (isLater(status)) throw new RegistryClientError("unreachable", `the keys of the log are not to be had now: ${status}`, { requestId, retryAfterMs });
    return status === 200 ? textOf(reply) : undefined;
  };
}

/** Throws unless a registry refused. */
function expectRefusal(reply: Reply): void {
  try {
    refusal(reply);
  } catch (cause) {
    orUnreachable(cause);
  }
}

export function textOf(reply: Reply): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(reply.body);
  } catch {
    throw new ContractError(reply, "the answer is not text in UTF-8");
  }
}
