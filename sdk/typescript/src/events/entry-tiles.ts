/** The records of a log as it serves them: tiles of 256, each record behind its length (C2SP tlog-tiles). */

import { EventError } from "../client/errors.js";
import { tileName } from "../receipt/tiles.js";

/** The files of a log, from wherever they are: a registry, a mirror, a folder. Nothing is believed of them. */
export interface LogFiles {
  /** The newest signed state, as text. */
  checkpoint(): Promise<string>;
  /** The newest signed state that the quorum of the witnesses has seen; nothing where there is none. */
  witnessedCheckpoint?(): Promise<string | undefined>;
  /** Where a log that was pruned begins, as its note has it; nothing where it was not pruned. */
  minimumIndex?(): Promise<string | undefined>;
  /** The notes from key to key, as the log serves them; nothing where there are none. With them a change of keys is followed. */
  handOvers?(): Promise<string | undefined>;
  /** The file at a path such as `tile/0/000` or `tile/entries/000.p/7`; nothing where there is none. */
  tile(path: string): Promise<Uint8Array | undefined>;
}

/** Records of a tile, as their bytes. */
export interface EntryTile {
  /** The place of the first. */
  readonly first: number;
  readonly entries: readonly Uint8Array[];
}

const WIDTH = 256;
const LENGTH_BYTES = 2;

/** The tile with the record at a place, as long as a log of this size has it. */
export async function readEntryTile(index: number, size: number, files: LogFiles): Promise<EntryTile> {
  const number = Math.floor(index / WIDTH);
  const first = number * WIDTH;
  const width = Math.min(WIDTH, size - first);
  const bytes = await files.tile(`tile/entries/${tileName(number, width)}`);
  if (bytes === undefined) throw await missing(index, first, files);
  const entries = entriesIn(bytes);
  if (entries?.length !== width) throw new EventError("tile-malformed", `the tile of the records from ${first} on does not hold ${width} of them`, { index });
  return { first, entries };
}

/** Why a tile is not there. Where the log begins is its own word, and nothing but a word is made of it. */
async function missing(index: number, first: number, files: LogFiles): Promise<EventError> {
  const [, kept = "0"] = /^[^\n]*\n([1-9][0-9]{0,14})\n/.exec((await files.minimumIndex?.()) ?? "") ?? [];
  if (Number(kept) <= index) return new EventError("tile-missing", `the log does not serve its records from ${first} on`, { index });
  return new EventError("follow-pruned", `the log says that it keeps its records from ${kept} on, and not the one at ${index}: begin at its end, with \`from: "end"\` or \`begin\``, { index });
}

function entriesIn(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + LENGTH_BYTES;
    const end = start + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    if (start > bytes.length || end > bytes.length || entries.length === WIDTH) return undefined;
    entries.push(bytes.slice(start, end));
    at = end;
  }
  return entries;
}
