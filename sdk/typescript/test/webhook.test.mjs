// Deliveries: who sent them, when, and what they say. The hostile ones first; test/event-lies.test.mjs has the table of them.

import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { canonicalize, EventError, FailOpenError, RegistryClientError } from "../dist/index.js";
import { hmac } from "../dist/events/webhook.js";
import { deliveryOf, NOW, OTHER_SECRET, rangeOf, registryOf, SECONDS, SECRET, signed, verify } from "./events.mjs";

const { log } = registryOf(6);

test("a secret that is none is no reason to believe anything, and is never told", () => {
  const secrets = [undefined, [], "whsec_x", [SECRET.slice(6)], ["whsec_"], [`${SECRET}=`], [SECRET, "whsec_AAAA"], Array(17).fill(SECRET), [5]];
  for (const each of secrets) {
    const thrown = catchFrom(() => verify(deliveryOf(log, 0, 2), { secrets: each }));
    assert.ok(thrown instanceof RegistryClientError && thrown.code === "configuration", JSON.stringify(each));
    assert.ok(!thrown.message.includes("AAAA"));
  }
  const delivery = deliveryOf(log, 0, 2);
  for (const misused of [{ body: new TextDecoder().decode(delivery.body) }, { body: JSON.parse(new TextDecoder().decode(delivery.body)) }, { now: new Date("x") }, { tolerance: -1 }, { tolerance: 1e9 }, { headers: null }, { headers: ["webhook-id"] }]) {
    assert.equal(catchFrom(() => verify({ ...delivery, ...misused })).code, "configuration");
  }
});

test("nothing is read before the signature holds", () => {
  for (const body of ["{", '{"accepted":true}', "\ufeff{}", ""]) {
    const { headers } = signed(body, { secrets: [OTHER_SECRET] });
    assert.equal(catchFrom(() => verify({ body: new Uint8Array(Buffer.from(body)), headers })).code, "webhook-signature-wrong");
  }
});

test("a change of any bit of what is signed is found out", () => {
  const { body, headers } = deliveryOf(log, 0, 1);
  for (let at = 0; at < body.length; at += 7) {
    const changed = body.slice();
    changed[at] ^= 1 << (at % 8);
    assert.equal(catchFrom(() => verify({ body: changed, headers })).code, "webhook-signature-wrong");
  }
  for (const [name, value] of [["webhook-id", "msg_2fKq_0-2"], ["webhook-timestamp", String(SECONDS + 1)]]) {
    assert.equal(catchFrom(() => verify({ body, headers: { ...headers, [name]: value } })).code, "webhook-signature-wrong");
  }
  // The parts cannot run into each other.
  const shifted = { ...headers, "webhook-id": headers["webhook-id"].slice(0, -1), "webhook-timestamp": `1.${SECONDS}` };
  assert.equal(catchFrom(() => verify({ body, headers: shifted })).code, "webhook-timestamp-malformed");
});

test("five minutes both ways, to the second", () => {
  const at = (seconds) => signed(canonicalize(rangeOf(log, 0, 1)), { seconds });
  for (const [seconds, code] of [[SECONDS - 300, undefined], [SECONDS + 300, undefined], [SECONDS - 301, "webhook-too-old"], [SECONDS + 301, "webhook-too-new"]]) {
    assert.equal(catchFrom(() => verify(at(seconds)))?.code, code, String(seconds));
  }
  assert.equal(catchFrom(() => verify(at(SECONDS - 11), { tolerance: 10 })).code, "webhook-too-old");
  assert.equal(catchFrom(() => verify(at(SECONDS), { now: undefined }))?.code, Math.abs(Date.now() / 1000 - SECONDS) > 300 ? (Date.now() / 1000 > SECONDS ? "webhook-too-old" : "webhook-too-new") : undefined);
});

test("while a secret rotates, one of two signatures and one of two secrets is enough", () => {
  const body = canonicalize(rangeOf(log, 0, 1));
  for (const [sent, known] of [[[SECRET, OTHER_SECRET], [SECRET]], [[OTHER_SECRET, SECRET], [SECRET]], [[SECRET], [OTHER_SECRET, SECRET]], [[SECRET], [SECRET, OTHER_SECRET]]]) {
    assert.equal(verify(signed(body, { secrets: sent }), { secrets: known }).data.to, 1);
  }
  assert.equal(catchFrom(() => verify(signed(body), { secrets: [OTHER_SECRET] })).code, "webhook-signature-wrong");
  const { body: bytes, headers } = signed(body);
  assert.equal(verify({ body: bytes, headers: { ...headers, "webhook-signature": `v1a,AAAA ${headers["webhook-signature"]}` } }).data.to, 1, "another scheme is passed over");
});

test("headers come in every form that platforms give them", () => {
  const { body, headers } = deliveryOf(log, 2, 5);
  const distinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  for (const form of [headers, new Headers(headers), Object.entries(headers), new Map(Object.entries(headers)), distinct, shouted]) {
    assert.equal(verify({ body, headers: form }).data.from, 2);
  }
  const twice = new Headers(headers);
  twice.append("webhook-signature", headers["webhook-signature"]);
  assert.equal(catchFrom(() => verify({ body, headers: twice })).code, "webhook-signature-malformed");
  for (const repeated of [{ ...distinct, "webhook-id": [headers["webhook-id"], "msg_x"] }, { ...headers, "Webhook-Id": headers["webhook-id"] }, [...Object.entries(headers), ["webhook-id", "x"]]]) {
    assert.equal(catchFrom(() => verify({ body, headers: repeated })).code, "webhook-header-repeated");
  }
});

test("an honest delivery is read, frozen, and has no room for a yes", () => {
  const delivery = verify(deliveryOf(log, 1, 4));
  assert.deepEqual([delivery.id, delivery.type, delivery.sentAt, delivery.timestamp], ["msg_2fKq_1-4", "registry.journal.records", SECONDS, "2026-11-15T06:00:00.000Z"]);
  const { from, to, filtered, records, checkpoint } = delivery.data;
  assert.deepEqual([from, to, filtered, checkpoint], [1, 4, false, log.checkpoint()]);
  assert.deepEqual(records.map(({ index, type }) => [index, type]), [[1, "registry.digest.mismatch"], [2, "registry.decision.denied"], [3, "registry.posture.violation"]]);
  assert.deepEqual(records.map(({ record }) => record), log.records.slice(1, 4));
  for (const each of [delivery, delivery.data, records, records[0], records[0].record, records[0].record.missingGates]) assert.ok(Object.isFrozen(each));
  assert.throws(() => (records[0].record.accepted = true), TypeError);
});

test("a filtered range and a test are told as such", () => {
  const some = verify(deliveryOf(log, 0, 6, { filtered: true, records: log.records.filter(({ outcome }) => outcome === "denied") }));
  assert.equal(some.data.filtered, true);
  assert.ok(some.data.records.length < 6);
  assert.equal(verify(deliveryOf(log, 0, 6, { filtered: true, records: [] })).data.records.length, 0);
  const tried = canonicalize({ data: { endpoint: "audit" }, timestamp: "2026-11-15T06:00:00.000Z", type: "registry.test" });
  assert.deepEqual({ ...verify(signed(tried, { id: "msg_test" })) }, { id: "msg_test", sentAt: SECONDS, timestamp: "2026-11-15T06:00:00.000Z", type: "registry.test", data: { endpoint: "audit" } });
});

test("a yes is told as that, and where it stands", () => {
  const open = { ...log.records[2], installable: true };
  const thrown = catchFrom(() => verify(deliveryOf(log, 1, 3, { records: [log.records[1], open] })));
  assert.ok(thrown instanceof FailOpenError);
  assert.deepEqual(thrown.pointers, ["/data/records/1/record/installable"]);
  const twice = canonicalize(rangeOf(log, 0, 1)).replace('"accepted":false', '"accepted":false,"accepted":true');
  assert.ok(catchFrom(() => verify(signed(twice))) instanceof FailOpenError, "also behind a duplicate");
});

test("the HMAC is the platform's", () => {
  for (let size = 0; size < 200; size += 1) {
    const [key, message] = [randomBytes(size % 130), randomBytes(size * 3)];
    assert.deepEqual(Buffer.from(hmac(key, message)), createHmac("sha256", key).update(message).digest(), `${size}`);
  }
});

test("every refusal is an error of the package, without a word of the body", () => {
  const thrown = catchFrom(() => verify(signed(canonicalize({ ...rangeOf(log, 0, 1), type: "<script>" }))));
  assert.ok(thrown instanceof EventError && thrown instanceof RegistryClientError);
  assert.equal(thrown.code, "delivery-unknown-type");
  assert.ok(!thrown.message.includes("script"));
  assert.equal(NOW.getTime() / 1000, SECONDS);
});

function catchFrom(call) {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}
