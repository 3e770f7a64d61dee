/** The files of a log where a registry serves them. */

import { Connection, type ConnectionOptions } from "../client/connection.js";
import type { Reply } from "../client/exchange.js";
import { orUnreachable } from "../client/intermediary.js";
import { getText, JOURNAL_PATH, textOf } from "../client/log-files.js";
import type { LogFiles } from "./entry-tiles.js";
import { MOST_RECORD_BYTES } from "./event-record.js";
import { refusedBy } from "./refused.js";

const MOST_ENTRY_TILE_BYTES = 256 * (MOST_RECORD_BYTES + 2);
/** More than a tile of hashes or a problem has. */
const MOST_TILE_BYTES = 65_536;
const NOT_THERE = 404;

/** The files of a registry's log. Nothing that it serves is believed: a follower checks it. */
export function createLogFiles(options: ConnectionOptions): LogFiles {
  return filesOf(new Connection(options), undefined);
}

/** The same over a connection that is there. */
export function filesOf(connection: Connection, signal: AbortSignal | undefined): Required<LogFiles> {
  const call = { signal };
  const text = (name: string) => getText(connection, name, call).catch(orUnreachable);
  return Object.freeze({
    checkpoint: async () => {
      const reply = await text("checkpoint");
      if (reply.status !== 200) throw refusedBy(reply);
      return textOf(reply);
    },
    witnessedCheckpoint: async () => {
      const reply = orNothing(await text("witnessed-checkpoint"));
      return reply === undefined ? undefined : textOf(reply);
    },
    minimumIndex: async () => {
      const reply = orNothing(await text("minimum-index"));
      return reply === undefined ? undefined : textOf(reply);
    },
    handOvers: async () => {
      const reply = orNothing(await text("hand-overs"));
      return reply === undefined ? undefined : textOf(reply);
    },
    tile: async (path: string) => {
      const mostBytes = path.startsWith("tile/entries/") ? MOST_ENTRY_TILE_BYTES : MOST_TILE_BYTES;
      const form = { accept: "application/octet-stream", mostBytes };
      return orNothing(await connection.get(JOURNAL_PATH + path, call, form).catch(orUnreachable))?.body;
    },
  });
}

/** Nothing where the registry says so. Somebody on the way cannot know. */
function orNothing(reply: Reply): Reply | undefined {
  if (reply.status === 200) return reply;
  const refused = refusedBy(reply);
  if (reply.status === NOT_THERE) return undefined;
  throw refused;
}
