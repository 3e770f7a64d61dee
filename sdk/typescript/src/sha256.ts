/**
 * SHA-256 (FIPS 180-4), synchronous.
 *
 * The platform's own is asynchronous and missing on pages without a secure context; a reader that must wait, or cannot
 * check, would be one that people go without. Property tests hold this equal to the platform's.
 */

import { finish, type Steps } from "./steps.js";

const K = constants();

/** How many bytes are hashed in one step. */
const BYTES_IN_STEP = 64 * 1024;

/** The digest of some bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return finish(hashing(bytes));
}

/** `sha256`, in steps. */
export function* hashing(bytes: Uint8Array): Steps<Uint8Array> {
  const state = Uint32Array.of(
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  );
  const words = new Uint32Array(64);
  const whole = bytes.length - (bytes.length % 64);
  for (let at = 0; at < whole; at += 64) {
    compress(state, words, bytes, at);
    if (at % BYTES_IN_STEP === 0) yield;
  }
  const tail = padded(bytes.subarray(whole), bytes.length);
  for (let at = 0; at < tail.length; at += 64) compress(state, words, tail, at);
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  state.forEach((word, index) => view.setUint32(index * 4, word));
  return digest;
}

/** The rest of the message, a one, zeros, and the length in bits. */
function padded(rest: Uint8Array, length: number): Uint8Array {
  const tail = new Uint8Array(rest.length < 56 ? 64 : 128);
  tail.set(rest);
  tail[rest.length] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(tail.length - 4, (length << 3) >>> 0);
  return tail;
}

function compress(state: Uint32Array, words: Uint32Array, bytes: Uint8Array, at: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 64);
  for (let t = 0; t < 16; t += 1) words[t] = view.getUint32(t * 4);
  for (let t = 16; t < 64; t += 1) {
    const early = words[t - 15] as number;
    const late = words[t - 2] as number;
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[t] = (words[t - 16] as number) + s0 + (words[t - 7] as number) + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let t = 0; t < 64; t += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[t] as number) + (words[t] as number)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] as number) + word;
  });
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
function constants(): Uint32Array {
  const table = new Uint32Array(64);
  let found = 0;
  for (let candidate = 2; found < 64; candidate += 1) {
    if (!isPrime(candidate)) continue;
    table[found] = cubeRootFraction(candidate);
    found += 1;
  }
  return table;
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return true;
}

/** floor(cbrt(n) · 2^32) mod 2^32, in whole numbers. */
function cubeRootFraction(number: number): number {
  const scaled = BigInt(number) << 96n;
  let low = 0n;
  let high = 1n << 36n;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle * middle * middle <= scaled) low = middle;
    else high = middle - 1n;
  }
  return Number(low & 0xffffffffn);
}
