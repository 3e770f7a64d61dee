/**
 * A record that came as an event: its bytes, the place and the type that were said of it. In order: that nothing in it claims
 * to be open, its form, its one spelling, its place, its type.
 */

import { sameBytes } from "../bytes.js";
import { canonicalize } from "../canonical.js";
import { openClaims } from "../client/claims.js";
import { EventError, FailOpenError } from "../client/errors.js";
import { isOpen } from "../open-claim.js";
import { encode } from "../receipt/checkpoint.js";
import { hasForm, holds, type JournalRecord, type Members, membersOf } from "../receipt/record.js";
import { type Node, read, valueOf } from "../strict-json/tree.js";
import { type EventType, eventTypeOf } from "./event-type.js";

/** A record of the log with its place and its type. */
export interface EventRecord {
  readonly index: number;
  readonly type: EventType;
  readonly record: JournalRecord;
}

/** As many bytes as a tile can say that a record has. */
export const MOST_RECORD_BYTES = 65_535;

/** The record in some bytes. `type` is what it was called, where it was called anything. */
export function readEventRecord(bytes: Uint8Array, index: number, type?: string): EventRecord {
  if (bytes.length > MOST_RECORD_BYTES) throw new EventError("record-too-large", `the record at ${index} is too large`, { index });
  const { root, faults } = read(bytes);
  if (root !== undefined) expectClosed(root);
  const members = root === undefined || faults.length > 0 ? undefined : membersOf(valueOf(root));
  if (members === undefined) throw malformed(index);
  const found = eventRecordOf(members, index, type);
  // A record has one spelling, and its hash is over that.
  if (!sameBytes(encode(canonicalize(members)), bytes)) throw new EventError("record-not-canonical", `the record at ${index} is not in canonical form`, { index });
  return found;
}

/** The record in an object that the strict reader gave, and that claims nothing to be open. */
export function eventRecordOf(members: Members, index: number, type?: string): EventRecord {
  if (!hasForm(members)) throw malformed(index);
  if (!holds(members)) throw new EventError("record-not-a-no", `the record at ${index} leaves out a part of the no`, { index });
  if (members["sequence"] !== index) throw new EventError("record-other-place", `the record at ${index} says that it has another place`, { index });
  const record = members as unknown as JournalRecord;
  const own = eventTypeOf(record);
  if (type !== undefined && type !== own) throw new EventError("record-other-type", `the record at ${index} is of type ${own}, and came as another`, { index });
  return { index, type: own, record };
}

/** Throws when anything in a value claims to be open, whatever else is wrong with it. */
export function expectClosed(node: Node, pointer = ""): void {
  if (!isOpen(node)) return;
  const claims = openClaims(node, pointer);
  throw new FailOpenError(claims.length > 0 ? claims : [pointer]);
}

function malformed(index: number): EventError {
  return new EventError("record-malformed", `what came as the record at ${index} is no record`, { index });
}
