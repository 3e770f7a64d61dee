// What a registry sends to those who follow its log, made with the platform's tools alone: streams, deliveries and tiles.

import { createHmac } from "node:crypto";
import { canonicalize, createJournalFollower, verifyWebhook } from "../dist/index.js";
import { Registry } from "./registry.mjs";

export const SECRET = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
export const OTHER_SECRET = `whsec_${Buffer.alloc(32, 6).toString("base64")}`;
export const NOW = new Date("2026-11-15T06:00:30.000Z");
export const SECONDS = NOW.getTime() / 1000;

/** The type of a record, by hand. */
export const typeOf = ({ outcome, problem }) =>
  outcome === "denied"
    ? "registry.decision.denied"
    : ({ "digest-mismatch": "registry.digest.mismatch", "posture-violation": "registry.posture.violation" }[problem] ?? "registry.artifact.rejected");

/** A registry with so many records, refusals among them. */
export function registryOf(count) {
  const registry = new Registry();
  for (let at = 0; at < count; at += 1) {
    if (at % 3 === 1) registry.refuse(Buffer.from(`body ${at}`));
    else if (at % 5 === 3) registry.refuse(Buffer.from(`body ${at}`), (body) => Object.assign(body, { code: "posture-violation" }));
    else registry.decide();
  }
  return registry;
}

/** The event of a record; `change` says what is not as it should be. */
export function recordEvent(record, { id = record.sequence, event = typeOf(record), data = canonicalize(record) } = {}) {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}

/** The event of a signed state. */
export function checkpointEvent(note) {
  const lines = note.replace(/\n$/, "").split("\n").map((line) => (line === "" ? "data:\n" : `data: ${line}\n`));
  return `event: checkpoint\n${lines.join("")}\n`;
}

/** What an honest log streams from a place on: its state, the records, and the state again where it moved on. */
export function streamOf(log, from = 0, to = log.records.length) {
  return checkpointEvent(log.checkpoint(from)) + log.records.slice(from, to).map((record) => recordEvent(record)).join("") + checkpointEvent(log.checkpoint(to));
}

/** Text or bytes as a source, in pieces of a size. */
export async function* pieces(text, size = 65_536) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield new Uint8Array(bytes.subarray(at, at + size));
}

/** Everything that comes, or what is thrown. */
export async function collect(events) {
  const found = [];
  for await (const event of events) found.push(event);
  return found;
}

export const followerOf = (log, options = {}) => createJournalFollower({ publicKeys: [log.publicKey], ...options });

/** The headers and the body of a delivery. */
export function signed(body, { id = "msg_2fKq_0-1", seconds = SECONDS, secrets = [SECRET] } = {}) {
  const bytes = Buffer.from(body);
  const signatures = secrets.map((secret) => {
    const mac = createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`${id}.${seconds}.`).update(bytes);
    return `v1,${mac.digest("base64")}`;
  });
  const headers = { "content-type": "application/json", "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signatures.join(" ") };
  return { body: new Uint8Array(bytes), headers };
}

/** What a delivery of a range says. */
export function rangeOf(log, from, to, { checkpoint = log.checkpoint(), records = log.records.slice(from, to), ...rest } = {}) {
  const rows = records.map((record) => ({ index: record.sequence, record, type: typeOf(record) }));
  return { data: { checkpoint, from, records: rows, to, ...rest }, timestamp: "2026-11-15T06:00:00.000Z", type: "registry.journal.records" };
}

/** An honest delivery of a range. */
export function deliveryOf(log, from, to, change = {}) {
  return signed(canonicalize(rangeOf(log, from, to, change)), { id: `msg_2fKq_${from}-${to}` });
}

export const verify = (delivery, options = {}) => verifyWebhook({ secrets: [SECRET], now: NOW, ...delivery, ...options });

/** The files of a log. */
export function filesOf(log, { size = log.records.length, ...others } = {}) {
  return { checkpoint: async () => log.checkpoint(size), tile: async (path) => log.tile(path), ...others };
}
