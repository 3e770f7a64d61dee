/** Proofs as text (C2SP tlog-proof): the record, its place, the path from its leaf, and the checkpoint. */

import { sameBytes } from "../bytes.js";
import { decodeBase64 } from "../forms/base64.js";
import { isOpen } from "../open-claim.js";
import { read, valueOf } from "../strict-json/tree.js";
import { type Checkpoint, type LogKey, openCheckpoint } from "./checkpoint.js";
import { endsOf, leafHash } from "./merkle.js";
import { leafOf, type ReceiptFault } from "./receipt.js";
import { hasForm, holds, type JournalRecord, type Members, membersOf } from "./record.js";

/** A proof of a record; without one where its bytes were pruned, so that nothing but the place was looked at. */
export interface TextProof {
  readonly record: JournalRecord | undefined;
  readonly checkpoint: Checkpoint;
}

const FORM = /^c2sp\.org\/tlog-proof@v1\n(?:extra ([A-Za-z0-9+/=]+)\n)?index (0|[1-9][0-9]{0,15})\n((?:[A-Za-z0-9+/]{43}=\n){0,53})\n([^]+)$/;

/** What a text proves of the record at a place, or the first reason why it proves nothing. */
export async function proveText(text: string, index: number, keys: readonly LogKey[], origin: string): Promise<TextProof | ReceiptFault> {
  const [, extra, place, lines = "", note = ""] = FORM.exec(text) ?? [];
  if (place === undefined) return "malformed";
  const path = lines.split("\n").slice(0, -1).map(decodeBase64);
  const bytes = extra === undefined ? undefined : decodeBase64(extra);
  if (path.includes(undefined) || (extra !== undefined && bytes === undefined)) return "malformed";
  const record = bytes === undefined ? undefined : readRecord(bytes);
  if (typeof record === "string") return record;
  if (Number(place) !== index || (record !== undefined && record["sequence"] !== index)) return "other-place";
  const checkpoint = await openCheckpoint(note, keys, origin);
  if (typeof checkpoint === "string") return checkpoint;
  if (bytes !== undefined) {
    const ends = endsOf(path as readonly Uint8Array[], checkpoint.size, index, leafHash(bytes));
    if (ends === undefined || !sameBytes(ends.root, checkpoint.root)) return "bad-path";
  }
  return { record: record as JournalRecord | undefined, checkpoint };
}

function readRecord(bytes: Uint8Array): Members | ReceiptFault {
  const { root, faults } = read(bytes);
  if (root === undefined) return "malformed";
  if (isOpen(root)) return "not-a-refusal";
  const members = faults.length > 0 ? undefined : membersOf(valueOf(root));
  if (members === undefined || !hasForm(members)) return "malformed";
  if (!holds(members)) return "not-a-refusal";
  // A record has one spelling, and its hash is over that.
  return sameBytes(leafOf(members), leafHash(bytes)) ? members : "malformed";
}
