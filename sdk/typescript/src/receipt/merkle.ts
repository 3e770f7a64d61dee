/** The tree of RFC 6962: hashes of leaves and nodes, and the check of an audit path (section 2.1.1). */

import { joined, sameBytes } from "../bytes.js";
import { sha256 } from "../sha256.js";

const HASH_BYTES = 32;

/** The hash of a leaf. */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(joined([Uint8Array.of(0), data]));
}

/** Whether an audit path leads from a leaf at a place to the root of a tree of this size. */
export function isPath(proof: readonly Uint8Array[], size: number, root: Uint8Array, place: number, leaf: Uint8Array): boolean {
  if ([leaf, root, ...proof].some((hash) => hash.length !== HASH_BYTES)) return false;
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(place) || place < 0 || place >= size) return false;
  let [node, last] = [BigInt(place), BigInt(size - 1)];
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0n) return false;
    if (node % 2n === 1n || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2n === 0n && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else hash = nodeHash(hash, sibling);
    node >>= 1n;
    last >>= 1n;
  }
  return last === 0n && sameBytes(hash, root);
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(joined([Uint8Array.of(1), left, right]));
}
