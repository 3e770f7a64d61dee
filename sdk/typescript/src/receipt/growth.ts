/** Whether one signed state of a log comes after another: the same records, and more. */

import { sameBytes } from "../bytes.js";
import type { Checkpoint } from "./checkpoint.js";
import { type PathEnds, rootOf } from "./merkle.js";
import { type ReadTile, readSpans } from "./tiles.js";

/** `forked`: the later state's own hashes show other records before it. `unproven`: no hashes lead to the later state. */
export type Growth = "grown" | "forked" | "unproven";

/** A receipt's record, and where its path leads to. */
export interface Recorded {
  readonly index: number;
  readonly ends: PathEnds;
}

/**
 * Tells how a later state comes from an earlier one, by the hashes that the log serves. A receipt of the first record
 * after the earlier state proves it alone: what hangs to the left of its path is the earlier state.
 */
export async function growthOf(earlier: Checkpoint, later: Checkpoint, readTile: ReadTile, recorded?: Recorded): Promise<Growth> {
  if (earlier.size === later.size) return sameBytes(earlier.root, later.root) ? "grown" : "forked";
  if (recorded?.index === earlier.size) return sameBytes(recorded.ends.before, earlier.root) ? "grown" : "forked";
  const [before, after] = (await readSpans([0, earlier.size, later.size], later.size, readTile)) ?? [];
  if (before === undefined || after === undefined || !sameBytes(rootOf([...before, ...after]), later.root)) return "unproven";
  return sameBytes(rootOf(before), earlier.root) ? "grown" : "forked";
}

/** Whether a leaf is at its place in a signed state, by the hashes that the log serves. */
export async function isAt(leaf: Uint8Array, place: number, state: Checkpoint, readTile: ReadTile): Promise<boolean> {
  const [before, , after] = (await readSpans([0, place, place + 1, state.size], state.size, readTile)) ?? [];
  return before !== undefined && after !== undefined && sameBytes(rootOf([...before, { level: 0, hash: leaf }, ...after]), state.root);
}
