/** The tree of RFC 6962: hashes of leaves and nodes, audit paths (section 2.1.1), and roots made up of whole subtrees. */

import { joined } from "../bytes.js";
import { sha256 } from "../sha256.js";

const HASH_BYTES = 32;

/** A whole subtree: the hash over `2^level` leaves side by side. */
export interface Subtree {
  readonly level: number;
  readonly hash: Uint8Array;
}

/** What an audit path leads to. */
export interface PathEnds {
  /** The root of the tree. */
  readonly root: Uint8Array;
  /** The root of the tree of everything before the leaf: what hangs to the left of the path is just that. */
  readonly before: Uint8Array;
}

/** The hash of a leaf. */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(joined([Uint8Array.of(0), data]));
}

/** Where an audit path leads to from a leaf at a place in a tree of this size; nothing when it is no path there. */
export function endsOf(proof: readonly Uint8Array[], size: number, place: number, leaf: Uint8Array): PathEnds | undefined {
  if ([leaf, ...proof].some((hash) => hash.length !== HASH_BYTES)) return undefined;
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(place) || place < 0 || place >= size) return undefined;
  let [node, last] = [BigInt(place), BigInt(size - 1)];
  let root = leaf;
  let before: Uint8Array | undefined;
  for (const sibling of proof) {
    if (last === 0n) return undefined;
    if (node % 2n === 1n || node === last) {
      root = nodeHash(sibling, root);
      before = before === undefined ? sibling : nodeHash(sibling, before);
      while (node % 2n === 0n && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else root = nodeHash(root, sibling);
    node >>= 1n;
    last >>= 1n;
  }
  return last === 0n ? { root, before: before ?? emptyRoot() } : undefined;
}

/** The root of the tree that whole subtrees make up, side by side from the first leaf on. */
export function rootOf(subtrees: readonly Subtree[]): Uint8Array {
  const edge: Subtree[] = [];
  for (const subtree of subtrees) growEdge(edge, subtree);
  const last = edge.at(-1);
  return last === undefined ? emptyRoot() : edge.slice(0, -1).reduceRight((hash, left) => nodeHash(left.hash, hash), last.hash);
}

/** Puts a subtree to the right of an edge: the largest whole subtrees from the first leaf on, which is all that a root takes. */
export function growEdge(edge: Subtree[], subtree: Subtree): void {
  let [grown, left] = [subtree, edge.at(-1)];
  while (left !== undefined && left.level === grown.level) {
    grown = { level: grown.level + 1, hash: nodeHash(left.hash, grown.hash) };
    edge.pop();
    left = edge.at(-1);
  }
  edge.push(grown);
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(joined([Uint8Array.of(1), left, right]));
}

function emptyRoot(): Uint8Array {
  return sha256(new Uint8Array());
}
