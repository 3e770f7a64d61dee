/**
 * Webhooks by Standard Webhooks 1.0: who sent a delivery, and when. The bytes are checked before anything in them is read.
 *
 * The HMAC is over this package's own SHA-256, so that the check does not wait and runs where there is no secure context.
 */

import { joined } from "../bytes.js";
import { EventError, RegistryClientError } from "../client/errors.js";
import { decodeBase64 } from "../forms/base64.js";
import { encode } from "../receipt/checkpoint.js";
import { sha256 } from "../sha256.js";
import { readDelivery, type WebhookDelivery } from "./delivery.js";
import type { WebhookCode } from "./event-code.js";

/** Headers as platforms give them: `Headers`, an object of Node's, or pairs. */
export type WebhookHeaders = Iterable<readonly [name: string, value: string]> | { readonly [name: string]: string | readonly string[] | undefined };

/** A delivery as it came, and what it is checked with. */
export interface WebhookOptions {
  /** The bytes of the body as they came. A text, or what a framework has parsed, is not what was signed. */
  readonly body: Uint8Array;
  readonly headers: WebhookHeaders;
  /** The secrets of the endpoint, `whsec_` and base64; two while it rotates. */
  readonly secrets: readonly string[];
  /** What time it is; now unless given. */
  readonly now?: Date;
  /** How many seconds a delivery may be older or newer than that; 300 unless given. */
  readonly tolerance?: number;
}

const ID = "webhook-id";
const TIMESTAMP = "webhook-timestamp";
const SIGNATURE = "webhook-signature";

const DEFAULT_TOLERANCE = 300;
const LARGEST_TOLERANCE = 86_400;
/** More than the largest batch of records. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_SECRETS = 16;
const MOST_SIGNATURES = 16;
const MAC_BYTES = 32;
/** Of SHA-256. */
const BLOCK_BYTES = 64;

/** Checks who sent a delivery and when, then reads it. Throws an `EventError`, or a `FailOpenError` for a yes in it. */
export function verifyWebhook({ body, headers, secrets, now = new Date(), tolerance = DEFAULT_TOLERANCE }: WebhookOptions): WebhookDelivery {
  const keys = keysOf(secrets);
  if (!(ArrayBuffer.isView(body) && body instanceof Uint8Array)) throw misused("body is not the bytes of a request");
  if (!Number.isSafeInteger(tolerance) || tolerance < 0 || tolerance > LARGEST_TOLERANCE) throw misused("tolerance is not a number of seconds up to a day");
  if (!(now instanceof Date) || Number.isNaN(now.getTime())) throw misused("now is not a date");
  const [id, timestamp, signature] = [ID, TIMESTAMP, SIGNATURE].map((name) => headerOf(headers, name)) as [string, string, string];
  // A full stop would let two of the signed parts run into each other.
  if (!/^[0-9A-Za-z_-]{1,256}$/.test(id)) throw refused("webhook-id-malformed", "the id of the delivery has another form");
  const sentAt = secondsOf(timestamp);
  const macs = signaturesIn(signature);
  if (body.length > MOST_BYTES) throw refused("webhook-too-large", `the delivery is larger than ${MOST_BYTES} bytes`);
  const signed = joined([encode(`${id}.${timestamp}.`), body]);
  if (!isSigned(signed, macs, keys)) throw refused("webhook-signature-wrong", "no signature of the delivery fits a secret");
  const seconds = Math.floor(now.getTime() / 1000);
  if (sentAt < seconds - tolerance) throw refused("webhook-too-old", `the delivery was sent more than ${tolerance} seconds ago`);
  if (sentAt > seconds + tolerance) throw refused("webhook-too-new", `the delivery is more than ${tolerance} seconds ahead of this clock`);
  return readDelivery(body, id, sentAt);
}

/** HMAC-SHA-256 (RFC 2104). */
export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  const inner = sha256(joined([block.map((byte) => byte ^ 0x36), message]));
  return sha256(joined([block.map((byte) => byte ^ 0x5c), inner]));
}

/** Every signature is held against every secret, and each comparison takes the same time wherever they differ. */
function isSigned(signed: Uint8Array, macs: readonly Uint8Array[], keys: readonly Uint8Array[]): boolean {
  let found = 0;
  for (const key of keys) {
    const expected = hmac(key, signed);
    for (const mac of macs) {
      let difference = expected.length ^ mac.length;
      for (const [at, byte] of expected.entries()) difference |= byte ^ (mac[at] ?? 0);
      found |= difference === 0 ? 1 : 0;
    }
  }
  return found === 1;
}

/** A header that must be there once. Platforms that put repeated ones together leave a form that none of the three has. */
function headerOf(headers: WebhookHeaders, wanted: string): string {
  const values = pairsOf(headers).filter(([name]) => name.toLowerCase() === wanted).flatMap(([, value]) => value ?? []);
  const [value] = values;
  if (values.length > 1) throw refused("webhook-header-repeated", `the header ${wanted} is there ${values.length} times`);
  if (typeof value !== "string" || value === "") throw refused("webhook-header-missing", `the header ${wanted} is missing`);
  return value;
}

function pairsOf(headers: WebhookHeaders): readonly (readonly [string, string | readonly string[] | undefined])[] {
  if (typeof headers !== "object" || headers === null) throw misused("headers are neither an object nor pairs");
  if (!(Symbol.iterator in headers)) return Object.entries(headers);
  const pairs = [...(headers as Iterable<readonly [string, string]>)];
  if (!pairs.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string"))) {
    throw misused("headers are neither an object nor pairs");
  }
  return pairs;
}

function secondsOf(timestamp: string): number {
  if (/^(0|[1-9][0-9]{0,11})$/.test(timestamp)) return Number(timestamp);
  throw refused("webhook-timestamp-malformed", "the timestamp of the delivery is not a number of seconds");
}

/** The signatures of the one scheme that has a secret. Those of others are passed over, in a list whose every part has its form. */
function signaturesIn(header: string): readonly Uint8Array[] {
  const malformed = () => refused("webhook-signature-malformed", "the signatures of the delivery have another form");
  const parts = header.split(" ");
  if (parts.length > MOST_SIGNATURES) throw malformed();
  const macs: Uint8Array[] = [];
  for (const part of parts) {
    const [, version, encoded = ""] = /^(v[0-9]+[a-z]?),([A-Za-z0-9+/]+={0,2})$/.exec(part) ?? [];
    const bytes = decodeBase64(encoded);
    if (version === undefined || bytes === undefined) throw malformed();
    if (version !== "v1") continue;
    if (bytes.length !== MAC_BYTES) throw malformed();
    macs.push(bytes);
  }
  if (macs.length === 0) throw malformed();
  return macs;
}

/** Never with a secret in a message. */
function keysOf(secrets: readonly string[]): readonly Uint8Array[] {
  const isList = Array.isArray(secrets) && secrets.length > 0 && secrets.length <= MOST_SECRETS;
  const keys = isList ? secrets.map((secret: unknown) => (typeof secret === "string" && secret.startsWith("whsec_") ? decodeBase64(secret.slice(6)) : undefined)) : [];
  const isEach = keys.every((key) => key !== undefined && key.length >= 24 && key.length <= 64);
  if (!isList || !isEach) throw misused("secrets is not a list of `whsec_` and base64 of 24 to 64 bytes");
  return keys as readonly Uint8Array[];
}

function refused(code: WebhookCode, message: string): EventError {
  return new EventError(code, message);
}

function misused(message: string): RegistryClientError {
  return new RegistryClientError("configuration", message);
}
