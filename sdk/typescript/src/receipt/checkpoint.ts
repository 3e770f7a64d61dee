/**
 * Checkpoints: the size and root of the log at a moment, signed.
 *
 * The text is a C2SP checkpoint (origin, size, root, a line each, no extension lines) inside a C2SP signed note. Ed25519
 * is the platform's; where it has none, nothing is proven.
 */

import { joined, sameBytes } from "../bytes.js";
import { hex } from "../digest.js";
import { decodeBase64 } from "../forms/base64.js";
import { frozen } from "../frozen.js";
import type { Digest } from "../generated/artifacts.js";
import { sha256 } from "../sha256.js";

/** A public key of a log, as its text holds it: name, id and key. */
export interface LogKey {
  readonly name: string;
  readonly id: Uint8Array;
  readonly key: Uint8Array;
}

/** A checkpoint whose signature was found to be the log's. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** The note as it came, with its signatures. */
  readonly note: string;
}

/** A signed state of a log, for callers. */
export interface SignedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly rootHash: Digest;
  /** The note as it came: whoever has the public key can check it. */
  readonly note: string;
}

/** A checkpoint in words for callers. */
export function describeCheckpoint({ origin, size, root, note }: Checkpoint): SignedCheckpoint {
  return frozen({ origin, size, rootHash: `sha256:${hex(root)}`, note });
}

/** Why a text is not a checkpoint of a log. */
export type CheckpointFault = "malformed-checkpoint" | "unknown-key" | "bad-signature" | "other-tree" | "unsupported";

const ED25519 = 1;
/** With the lines of witnesses. */
const MOST_NOTE_BYTES = 65_536;
const MOST_BYTES = 4096;
const MOST_SIGNATURES = 100;
const SIGNATURE_LINE = /^\u2014 ([^\p{White_Space}+]+) ([A-Za-z0-9+/]+={0,2})$/u;
const HEAD = /^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n$/;

export const encode = (text: string) => new TextEncoder().encode(text);

/** Public keys, one a line, all of one log. Nothing when any line is not one. */
export function readKeys(text: string): readonly LogKey[] | undefined {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  const keys = lines.map((line) => readKey(line));
  const [first] = keys;
  if (first === undefined || keys.some((key) => key === undefined || key.name !== first.name)) return undefined;
  return keys as readonly LogKey[];
}

/** Whether a text is short enough for a checkpoint, and has no control character but line feeds. */
export function isCheckpointText(text: string): boolean {
  return text !== "" && encode(text).length <= MOST_BYTES && !/[\u0000-\u0009\u000b-\u001f\u007f]/.test(text);
}

/** The size that a checkpoint says it has, by its form alone: nothing of it is proven. */
export function claimedSize(text: string): number | undefined {
  const split = text.lastIndexOf("\n\n");
  const [, , size] = HEAD.exec(text.slice(0, split + 1)) ?? [];
  const isWhole = split > 0 && text.endsWith("\n") && signaturesOf(text) !== undefined;
  return isWhole && Number.isSafeInteger(Number(size)) ? Number(size) : undefined;
}

/** Reads a checkpoint and its signature. `origin` is the name that the log must have. */
export async function openCheckpoint(
  text: string,
  keys: readonly LogKey[],
  origin: string,
): Promise<Checkpoint | CheckpointFault> {
  const split = text.lastIndexOf("\n\n");
  const isShort = isCheckpointText(text) || isCheckpointText(withoutWitnesses(text, origin));
  if (split < 0 || !text.endsWith("\n") || !isShort) return "malformed-checkpoint";
  const signed = text.slice(0, split + 1);
  const fault = await signatureFault(encode(signed), signaturesOf(text), keys);
  if (fault !== undefined) return fault;
  const [, name, size, hash] = HEAD.exec(signed) ?? [];
  const root = hash === undefined ? undefined : decodeBase64(hash);
  if (name === undefined || root === undefined || !Number.isSafeInteger(Number(size))) return "malformed-checkpoint";
  return name === origin ? { origin: name, size: Number(size), root, note: text } : "other-tree";
}

/** The text of a note that a known key signed, or why it is none. */
export async function readSigned(note: string, keys: readonly LogKey[]): Promise<{ readonly text: string } | CheckpointFault> {
  const split = note.lastIndexOf("\n\n");
  if (split < 0 || !note.endsWith("\n")) return "malformed-checkpoint";
  const text = note.slice(0, split + 1);
  return (await signatureFault(encode(text), signaturesOf(note), keys)) ?? { text };
}

/** A line that signs a note. */
export interface NoteSignature {
  readonly name: string;
  readonly id: Uint8Array;
  readonly signature: Uint8Array;
}

/** The signatures of a note; nothing when a line is none, or there are too many. */
export function signaturesOf(note: string): readonly NoteSignature[] | undefined {
  const lines = note.slice(note.lastIndexOf("\n\n") + 2, -1).split("\n");
  const signatures = lines.map((line) => {
    const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
    const bytes = encoded === undefined ? undefined : decodeBase64(encoded);
    return name === undefined || bytes === undefined || bytes.length < 5 ? undefined : { name, id: bytes.slice(0, 4), signature: bytes.slice(4) };
  });
  const isNote = signatures.length <= MOST_SIGNATURES && !signatures.includes(undefined);
  return isNote ? (signatures as readonly NoteSignature[]) : undefined;
}

/** The same note with the lines of the log alone, which must be short also where many witnesses make it long. */
function withoutWitnesses(text: string, origin: string): string {
  const split = text.lastIndexOf("\n\n") + 2;
  if (text.length > MOST_NOTE_BYTES || encode(text).length > MOST_NOTE_BYTES) return "";
  const lines = text.slice(split).split("\n").filter((line) => line.startsWith(`\u2014 ${origin} `));
  return text.slice(0, split) + lines.map((line) => `${line}\n`).join("");
}

/** Every line must be a signature, every one by a key that is known must hold, and there must be one of those. */
async function signatureFault(
  signed: Uint8Array,
  signatures: readonly NoteSignature[] | undefined,
  keys: readonly LogKey[],
): Promise<CheckpointFault | undefined> {
  if (signatures === undefined) return "malformed-checkpoint";
  let known = false;
  for (const found of signatures) {
    const key = keys.find(({ name, id }) => name === found.name && sameBytes(id, found.id));
    if (key === undefined) continue;
    const holds = await verifies(key.key, found.signature, signed);
    if (holds === undefined) return "unsupported";
    if (!holds) return "bad-signature";
    known = true;
  }
  return known ? undefined : "unknown-key";
}

/** Whether a signature holds; nothing when the platform cannot tell. */
export async function verifies(key: Uint8Array, signature: Uint8Array, signed: Uint8Array): Promise<boolean | undefined> {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) return undefined;
  try {
    const imported = await subtle.importKey("raw", key as BufferSource, { name: "Ed25519" }, false, ["verify"]);
    return await subtle.verify({ name: "Ed25519" }, imported, signature as BufferSource, signed as BufferSource);
  } catch {
    return undefined;
  }
}

/** `name+id+base64`: the id is the first four bytes of a digest over name and key, in one spelling. */
export function readKey(text: string, type = ED25519): LogKey | undefined {
  const [, name, id, encoded] = /^([^\p{White_Space}+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(text) ?? [];
  const bytes = encoded === undefined ? undefined : decodeBase64(encoded);
  if (name === undefined || id === undefined || bytes?.length !== 33 || bytes[0] !== type) return undefined;
  const expected = sha256(joined([encode(`${name}\n`), bytes])).slice(0, 4);
  const given = Uint8Array.from(id.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return sameBytes(expected, given) ? { name, id: expected, key: bytes.slice(1) } : undefined;
}
