/**
 * What a follower needs to go on: how far the log was proven, the root there, the hashes that every later root is made of, and
 * the signed state that proved it. It is small (at most 53 hashes), and plain data.
 */

import { sameBytes } from "../bytes.js";
import { EventError } from "../client/errors.js";
import { digestOf, isDigest } from "../digest.js";
import { decodeBase64, encodeBase64 } from "../forms/base64.js";
import { frozen } from "../frozen.js";
import type { Digest } from "../generated/artifacts.js";
import { readable } from "../plain-data.js";
import { type Checkpoint, claimedSize } from "../receipt/checkpoint.js";
import { rootOf, type Subtree } from "../receipt/merkle.js";
import { membersOf } from "../receipt/record.js";
import { read, valueOf } from "../strict-json/tree.js";

/** How far a log was followed, and proven. Keep it as JSON. */
export interface FollowerState {
  readonly version: 1;
  /** The name of the log. */
  readonly origin: string;
  /** How many records were proven: the place of the next. */
  readonly size: number;
  readonly rootHash: Digest;
  /** The hashes of the largest whole subtrees from the first record on, in base64: one for each bit of the size. */
  readonly frontier: readonly string[];
  /** The signed state that proved it, as text. It may be larger. */
  readonly checkpoint: string;
}

/** A state, and its hashes. */
export interface OpenedState {
  readonly state: FollowerState;
  readonly edge: readonly Subtree[];
}

/** A state that is handed out. */
export function stateOf(edge: readonly Subtree[], size: number, { origin, note }: Checkpoint): OpenedState {
  const frontier = edge.map(({ hash }) => encodeBase64(hash));
  return { state: frozen({ version: 1, origin, size, rootHash: digestOf(rootOf(edge)), frontier, checkpoint: note }), edge: [...edge] };
}

/** A state that was kept: an object, or its JSON text. Its signature is another matter. */
export function openState(kept: unknown): OpenedState {
  const text = readable(kept);
  const { root, faults } = text === undefined ? { root: undefined, faults: [] } : read(text);
  const value = root === undefined || faults.length > 0 ? undefined : membersOf(valueOf(root));
  const { version, origin, size, rootHash, frontier, checkpoint, ...rest } = value ?? { other: true };
  const isFormed =
    Object.keys(rest).length === 0 && version === 1 && typeof origin === "string" && isDigest(rootHash) && typeof checkpoint === "string" && Array.isArray(frontier);
  if (!isFormed || !Number.isSafeInteger(size) || (size as number) < 0) throw wrong();
  const levels = levelsOf(size as number);
  const hashes = (frontier as readonly unknown[]).map((hash) => (typeof hash === "string" ? decodeBase64(hash) : undefined));
  if (hashes.length !== levels.length || hashes.some((hash) => hash?.length !== 32)) throw wrong();
  const edge = levels.map((level, at) => ({ level, hash: hashes[at] as Uint8Array }));
  if (digestOf(rootOf(edge)) !== rootHash || (claimedSize(checkpoint) ?? -1) < (size as number)) throw wrong();
  return { state: frozen(value as unknown as FollowerState), edge };
}

/** Throws unless a state is of this log, by the signed state in it. */
export function expectStateOf({ state, edge }: OpenedState, checkpoint: Checkpoint): void {
  const isItsRoot = checkpoint.size !== state.size || sameBytes(rootOf(edge), checkpoint.root);
  if (state.origin !== checkpoint.origin || checkpoint.size < state.size || !isItsRoot) throw wrong();
}

/** The levels of the largest whole subtrees of a log of this size: its bits, the highest first. */
function levelsOf(size: number): readonly number[] {
  const bits = size.toString(2);
  return [...bits].flatMap((bit, at) => (bit === "1" ? [bits.length - 1 - at] : []));
}

function wrong(): EventError {
  return new EventError("follow-state", "the state is none that a follower of this log handed out");
}
