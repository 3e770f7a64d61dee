/**
 * What a delivery says, read strictly after its signature was found to hold: a range of the log with its records and a signed
 * state, or a test.
 *
 * The state is looked at in its form only: whether the log signed it, and holds these records, is told by a follower.
 */

import { sameBytes } from "../bytes.js";
import { canonicalize } from "../canonical.js";
import { EventError } from "../client/errors.js";
import { isMade, type Made, made } from "../made.js";
import { claimedSize, encode } from "../receipt/checkpoint.js";
import { isMoment, type Members, membersOf } from "../receipt/record.js";
import { get, type JsonValue, type Node, read, valueOf } from "../strict-json/tree.js";
import type { DeliveryCode } from "./event-code.js";
import { type EventRecord, eventRecordOf, expectClosed } from "./event-record.js";

/** What every delivery has. */
interface DeliveryBase {
  /** The id of the delivery: the same for every try. Whoever has seen it has seen what it holds. */
  readonly id: string;
  /** When this try was sent, in seconds of POSIX. */
  readonly sentAt: number;
  /** When this range was first sent. */
  readonly timestamp: string;
}

/** A range of the log. */
export interface RecordsDelivery extends DeliveryBase {
  readonly type: "registry.journal.records";
  readonly data: {
    /** The first place of the range. */
    readonly from: number;
    /** The place behind its last. */
    readonly to: number;
    /** Whether records of the range were left out, as the endpoint asks for some types alone. */
    readonly filtered: boolean;
    readonly records: readonly EventRecord[];
    /** A signed state that covers the range, as text. A follower checks it. */
    readonly checkpoint: string;
  };
}

/** A test by the operator. It holds no record. */
export interface TestDelivery extends DeliveryBase {
  readonly type: "registry.test";
  readonly data: { readonly endpoint: string };
}

/** A delivery that was sent by somebody with the secret, and was read. */
export type WebhookDelivery = (RecordsDelivery | TestDelivery) & Made;

/** A batch has no more than a page. */
const MOST_RECORDS = 10_000;

/** Whether `verifyWebhook` made it. */
export function isDelivery(value: unknown): value is WebhookDelivery {
  return isMade(value) && typeof (value as { readonly sentAt?: unknown }).sentAt === "number";
}

/** Reads a delivery. */
export function readDelivery(body: Uint8Array, id: string, sentAt: number): WebhookDelivery {
  const { root, faults } = read(body);
  if (root !== undefined) expectNoYes(root);
  if (root === undefined || faults.length > 0) throw refused("delivery-not-json", "the delivery is not strict JSON");
  const members = valueOf(root) as Members;
  if (!sameBytes(encode(canonicalize(members)), body)) throw refused("delivery-not-canonical", "the delivery is not in canonical form");
  const { data, timestamp, type, ...rest } = members;
  const inner = membersOf(data);
  const isWhole = Object.keys(rest).length === 0 && inner !== undefined && typeof timestamp === "string" && isMoment(timestamp);
  if (!isWhole || typeof type !== "string") throw malformed();
  const base = { id, sentAt, timestamp };
  if (type === "registry.test") return made({ ...base, type, data: readTest(inner) });
  if (type !== "registry.journal.records") throw refused("delivery-unknown-type", "the delivery is of a type that is not known");
  return made({ ...base, type, data: readRange(inner, id) });
}

/** Where a yes stands, record by record. */
function expectNoYes(root: Node): void {
  const records = get(get(root, "data"), "records");
  if (records?.type === "array") records.elements.forEach((element, at) => expectClosed(element, `/data/records/${at}`));
  expectClosed(root);
}

function readTest({ endpoint, ...rest }: Members): TestDelivery["data"] {
  if (typeof endpoint !== "string" || endpoint === "" || Object.keys(rest).length > 0) throw malformed();
  return { endpoint };
}

function readRange(data: Members, id: string): RecordsDelivery["data"] {
  const { checkpoint, filtered, from, records, to, ...rest } = data;
  if (Object.keys(rest).length > 0 || typeof checkpoint !== "string" || !Array.isArray(records)) throw malformed();
  // What is not filtered does not say so: there is one spelling of it.
  if (!isCount(from) || !isCount(to) || (Object.hasOwn(data, "filtered") && filtered !== true)) throw malformed();
  if (from >= to) throw refused("delivery-range", `a range from ${from} to ${to} holds nothing`);
  // The id is made of the range, so that whoever keeps ids has kept the range.
  if (!/^msg_[0-9A-Za-z_-]+$/.test(id) || !id.endsWith(`_${from}-${to}`)) throw refused("delivery-other-id", "the id of the delivery is of another range");
  if (records.length > Math.min(MOST_RECORDS, to - from)) throw refused("delivery-too-many", "the delivery has more records than its range, or than any has");
  const read = records.map((row) => readRow(row));
  expectOrder(read, from, to);
  if (filtered !== true && read.length !== to - from) throw refused("delivery-gap", `the delivery leaves out ${to - from - read.length} records of its range`);
  const size = claimedSize(checkpoint);
  if (size === undefined || size < to) throw refused("delivery-checkpoint", "the delivery has no signed state that covers its range");
  return { from, to, filtered: filtered === true, records: read, checkpoint };
}

function readRow(row: JsonValue): EventRecord {
  const { index, record, type, ...rest } = membersOf(row) ?? { other: true };
  const members = membersOf(record);
  if (Object.keys(rest).length > 0 || members === undefined || !isCount(index) || typeof type !== "string") throw malformed();
  return eventRecordOf(members, index, type);
}

function expectOrder(records: readonly EventRecord[], from: number, to: number): void {
  let last = -1;
  for (const { index } of records) {
    if (index < from || index >= to) throw new EventError("delivery-outside", `the record at ${index} is not in the range of the delivery`, { index });
    if (index <= last) throw new EventError("delivery-order", `the record at ${index} comes after the one at ${last}`, { index });
    last = index;
  }
}

/** A number of records, or the place of one. */
function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function malformed(): EventError {
  return refused("delivery-malformed", "the delivery has not the form of one");
}

function refused(code: DeliveryCode, message: string): EventError {
  return new EventError(code, message);
}
