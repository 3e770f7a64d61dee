/**
 * Receipts: proof, offline, that a no is on record.
 *
 * Nothing is taken on trust but the log's public key, which must come from elsewhere. In order: that nothing claims to be
 * open, the form, the place, the leaf hash, the checkpoint's signature, the tree that it signs, the audit path; and where
 * the receipt comes inside an answer, that every other word of the answer is the one on record, and that the record agrees
 * with it.
 */

import { sameBytes } from "../bytes.js";
import { canonicalize } from "../canonical.js";
import { isOpen, isWholeNo } from "../open-claim.js";
import { hex, isDigest, measuringJson } from "../digest.js";
import { frozen } from "../frozen.js";
import type { Digest } from "../generated/artifacts.js";
import { readable } from "../plain-data.js";
import { finishAsync } from "../steps.js";
import { type JsonValue, reading, valuing } from "../strict-json/tree.js";
import { utf8Length } from "../unicode.js";
import { type Checkpoint, type CheckpointFault, describeCheckpoint, isCheckpointText, type LogKey, openCheckpoint, type SignedCheckpoint } from "./checkpoint.js";
import type { Recorded } from "./growth.js";
import { givenKeys } from "./hand-over.js";
import { endsOf, leafHash } from "./merkle.js";
import { hasForm, holds, type JournalRecord, type Members, membersOf } from "./record.js";
import { type Contradiction, contradiction } from "./recorded-answer.js";

/** Why a receipt proves nothing. */
export type ReceiptFault =
  | "malformed"
  | "not-a-refusal"
  | "other-place"
  | "other-leaf"
  | "bad-path"
  | "other-answer"
  | Contradiction
  | CheckpointFault;

/** What a receipt proved, or the first reason why it proves nothing. */
export type ReceiptCheck = ({ readonly ok: true } & ProvenReceipt) | { readonly ok: false; readonly fault: ReceiptFault };

/** What a receipt proved. */
export interface ProvenReceipt {
  /** The record: a no. */
  readonly record: JournalRecord;
  /** The tree that it is under. */
  readonly checkpoint: SignedCheckpoint;
  /** Whether a whole answer was given, and is the one on record. */
  readonly withAnswer: boolean;
}

/** The same for those who compare it with other states of the log. */
export interface Proof extends Recorded {
  readonly record: JournalRecord;
  readonly checkpoint: Checkpoint;
  readonly withAnswer: boolean;
}

/** What a check needs to know. */
export interface ReceiptCheckOptions {
  /** The public key of the log, `name+id+base64`; several of one log, one a line, after a change of keys. */
  readonly publicKey: string;
  /** The notes from key to key, as `/journal/hand-overs` has them: a receipt by a newer key is proven by them. */
  readonly handOvers?: string;
  /** The name that the log must have; the key's own unless given. */
  readonly origin?: string;
}

const MOST_HASHES = 53;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Checks a receipt, or an answer of the registry with one inside. A string or bytes are its JSON text, everything else is
 * read as plain data, and nothing in it is run. Only a public key, and notes from key to key, that are none throw.
 */
export async function checkReceipt(document: string | Uint8Array | object, options: ReceiptCheckOptions): Promise<ReceiptCheck> {
  const keys = await givenKeys(options);
  const proof = await prove(document, keys, options.origin ?? keys[0]?.name ?? "");
  return typeof proof === "string" ? frozen({ ok: false, fault: proof }) : frozen({ ok: true, ...describeProof(proof) });
}

/** What a receipt proves by these keys, or the first reason why it proves nothing. */
export async function prove(document: unknown, keys: readonly LogKey[], origin: string): Promise<Proof | ReceiptFault> {
  try {
    return await check(document, keys, origin);
  } catch {
    // Nothing is known to come here; should anything, it is a no.
    return "malformed";
  }
}

/** A proof for callers. */
export function describeProof({ record, checkpoint, withAnswer }: Proof): ProvenReceipt {
  return frozen({ record, checkpoint: describeCheckpoint(checkpoint), withAnswer });
}

async function check(document: unknown, keys: readonly LogKey[], origin: string): Promise<Proof | ReceiptFault> {
  const text = readable(document);
  if (text === undefined || (typeof text === "string" ? utf8Length(text) : text.length) > MOST_BYTES) return "malformed";
  const { root, faults } = await finishAsync(reading(text));
  if (root === undefined) return "malformed";
  // Whatever else is wrong with it: what claims to be open is told as that.
  if (isOpen(root)) return "not-a-refusal";
  const value = faults.length > 0 ? undefined : membersOf(await finishAsync(valuing(root)));
  if (value === undefined) return "malformed";
  const answer = Object.hasOwn(value, "receipt") ? value : undefined;
  if (answer !== undefined && !isWholeNo(root)) return "not-a-refusal";
  const receipt = answer === undefined ? value : membersOf(answer["receipt"]);
  const record = membersOf(receipt?.["record"]);
  if (receipt === undefined || record === undefined) return "malformed";
  if (!hasForm(record) || !isReceipt(receipt)) return "malformed";
  if (!holds(record)) return "not-a-refusal";
  if (receipt["index"] !== record["sequence"]) return "other-place";
  if (receipt["leafHash"] !== `sha256:${hex(leafOf(record))}`) return "other-leaf";
  const checkpoint = await openCheckpoint(receipt["checkpoint"] as string, keys, origin);
  if (typeof checkpoint === "string") return checkpoint;
  if (checkpoint.size !== receipt["treeSize"] || describeCheckpoint(checkpoint).rootHash !== receipt["rootHash"]) return "other-tree";
  const index = receipt["index"] as number;
  const path = (receipt["proof"] as readonly Digest[]).map(bytesOf);
  const ends = endsOf(path, checkpoint.size, index, bytesOf(receipt["leafHash"] as Digest));
  if (ends === undefined || !sameBytes(ends.root, checkpoint.root)) return "bad-path";
  const other = answer === undefined ? undefined : await answerFault(answer, record);
  if (other !== undefined) return other;
  return { record: record as unknown as JournalRecord, checkpoint, index, ends, withAnswer: answer !== undefined };
}

/** Whether a receipt has its form; its record is looked at by itself. */
function isReceipt(receipt: Members): boolean {
  const { checkpoint, index, leafHash: leaf, proof, record: _, rootHash, treeSize, ...rest } = receipt;
  return (
    Object.keys(rest).length === 0 &&
    typeof checkpoint === "string" &&
    isCheckpointText(checkpoint) &&
    isCount(index) &&
    isCount(treeSize) &&
    isDigest(leaf) &&
    isDigest(rootHash) &&
    Array.isArray(proof) &&
    proof.length <= MOST_HASHES &&
    proof.every(isDigest)
  );
}

/** A number of records, or the place of one. */
function isCount(value: JsonValue | undefined): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The hash of a record. */
export function leafOf(record: object): Uint8Array {
  return leafHash(new TextEncoder().encode(canonicalize(record)));
}

/** Why an answer is not the one of a record: in every word but its receipt, then in what the record says of it. */
async function answerFault({ receipt: _, ...answer }: Members, record: Members): Promise<ReceiptFault | undefined> {
  return (await finishAsync(measuringJson(answer))).digest === record["answerDigest"] ? contradiction(record, answer) : "other-answer";
}

function bytesOf(digest: Digest): Uint8Array {
  return Uint8Array.from(digest.slice("sha256:".length).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
