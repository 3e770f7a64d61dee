// The reader of streams, in every cut of the bytes and with every end of a line.

import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalize } from "../dist/index.js";
import { EventStreamReader } from "../dist/events/event-stream.js";
import { recordEvent, registryOf, streamOf } from "./events.mjs";

const { log } = registryOf(5);
const [record] = log.records;

function read(bytes, size = bytes.length) {
  const reader = new EventStreamReader();
  const found = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...reader.push(bytes.subarray(at, at + size)));
  return found;
}
const readText = (text, size) => read(new Uint8Array(Buffer.from(text)), size);

test("a stream says the same in every cut, and with every end of a line", () => {
  const text = `: hello\n\nretry: 1\n\n${streamOf(log)}`;
  const whole = readText(text);
  assert.deepEqual(whole.map(({ kind }) => kind), ["checkpoint", ...Array(5).fill("record"), "checkpoint"]);
  assert.deepEqual(whole.at(-1).note, log.checkpoint());
  for (const end of ["\n", "\r", "\r\n"]) {
    const ended = text.replaceAll("\n", end);
    for (const size of [1, 2, 3, 7, 64, 1000]) assert.deepEqual(readText(ended, size), whole, `${JSON.stringify(end)} ${size}`);
  }
});

test("what is cut off before its empty line is no event", () => {
  const text = recordEvent(record);
  for (let cut = 0; cut < text.length; cut += 1) assert.deepEqual(readText(text.slice(0, cut)), []);
  assert.equal(readText(text).length, 1);
});

test("the bytes of a record are kept as they came, behind one blank or none", () => {
  const data = canonicalize(record);
  const [one] = readText(recordEvent(record));
  assert.equal(Buffer.from(one.data).toString(), data);
  assert.deepEqual(readText(recordEvent(record).replace("data: ", "data:")), [one]);
  const [two] = readText(recordEvent(record).replace("data: ", "data:  "));
  assert.equal(Buffer.from(two.data).toString(), ` ${data}`, "a second blank is data");
});

test("bytes that are used again by whoever reads them change nothing", () => {
  const reader = new EventStreamReader();
  const buffer = new Uint8Array(Buffer.from(recordEvent(record)));
  const [first, second] = [buffer.slice(0, 30), buffer.slice(30)];
  assert.deepEqual([...reader.push(first)], []);
  first.fill(0);
  assert.deepEqual([...reader.push(second)], readText(recordEvent(record)));
});

test("comments without end take no memory, and a line without end is ended", () => {
  const reader = new EventStreamReader();
  const comments = new Uint8Array(Buffer.from(":\n".repeat(30_000)));
  for (let time = 0; time < 5; time += 1) assert.deepEqual([...reader.push(comments)], []);
  const endless = new Uint8Array(1000).fill(0x61);
  assert.throws(() => { for (;;) for (const _ of reader.push(endless)); }, { code: "stream-line-too-long" });
});

test("a byte order mark later on is no way to hide one either", () => {
  assert.throws(() => readText(`\n\ufeffdata: x\n\n`), { code: "stream-unknown-field" });
  assert.throws(() => readText(`\ufeff\n`), { code: "stream-byte-order-mark" });
});
