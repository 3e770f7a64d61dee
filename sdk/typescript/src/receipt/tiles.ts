/** The hashes of a log as it serves them: tiles of 256 (C2SP tlog-tiles). */

import { rootOf, type Subtree } from "./merkle.js";

/** Reads a tile; nothing when there is none. What is read is believed only where it leads to a signed root. */
export type ReadTile = (path: string) => Promise<Uint8Array | undefined>;

/** Where a whole subtree stands: its level, and its number within the level. */
interface Place {
  readonly level: number;
  readonly number: number;
}

const HASH_BYTES = 32;
const HEIGHT = 8;
const WIDTH = 2 ** HEIGHT;

/**
 * The whole subtrees over the leaves between bounds, a list for each span from one bound to the next, out of a log of this
 * size. Nothing when a tile is not to be had.
 */
export async function readSpans(bounds: readonly number[], size: number, readTile: ReadTile): Promise<readonly (readonly Subtree[])[] | undefined> {
  const spans = bounds.slice(1).map((to, at) => placesIn(bounds[at] ?? 0, to));
  const paths = new Set(spans.flat().map((place) => tileOf(place, size).path));
  const reading = [...paths].map(async (path) => [path, await readTile(path)] as const);
  const tiles = new Map(await Promise.all(reading));
  const found = spans.map((places) => places.map((place) => subtreeIn(tiles.get(tileOf(place, size).path), place, size)));
  return found.flat().includes(undefined) ? undefined : (found as Subtree[][]);
}

/** The fewest whole subtrees over the leaves of a span, from left to right. */
function placesIn(from: number, to: number): Place[] {
  const places: Place[] = [];
  for (let at = from; at < to; ) {
    let [level, leaves] = [0, 1];
    while (at % (leaves * 2) === 0 && at + leaves * 2 <= to) [level, leaves] = [level + 1, leaves * 2];
    places.push({ level, number: at / leaves });
    at += leaves;
  }
  return places;
}

/** The tile that a subtree's hashes are in, as long as a log of this size has it. */
function tileOf({ level, number }: Place, size: number) {
  const tileLevel = Math.floor(level / HEIGHT);
  const first = number * 2 ** (level - tileLevel * HEIGHT);
  const tile = Math.floor(first / WIDTH);
  const width = Math.min(WIDTH, Math.floor(size / WIDTH ** tileLevel) - tile * WIDTH);
  return { path: `tile/${tileLevel}/${tileName(tile, width)}`, offset: first % WIDTH, width, tileLevel };
}

/** The number of a tile in groups of three digits, and how wide it is where it is not full. */
export function tileName(tile: number, width: number): string {
  const groups = String(tile).padStart(Math.ceil(String(tile).length / 3) * 3, "0").match(/.{3}/g) ?? [];
  const name = groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join("/");
  return `${name}${width === WIDTH ? "" : `.p/${width}`}`;
}

function subtreeIn(tile: Uint8Array | undefined, place: Place, size: number): Subtree | undefined {
  const { offset, width, tileLevel } = tileOf(place, size);
  if (tile?.length !== width * HASH_BYTES) return undefined;
  const count = 2 ** (place.level - tileLevel * HEIGHT);
  const hash = (at: number) => tile.slice((offset + at) * HASH_BYTES, (offset + at + 1) * HASH_BYTES);
  return { level: place.level, hash: rootOf(Array.from({ length: count }, (_, at) => ({ level: 0, hash: hash(at) }))) };
}
