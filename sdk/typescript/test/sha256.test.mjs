import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { digestBytes, isDigest } from "../dist/index.js";
import { sameDigest } from "../dist/digest.js";

const platform = (bytes) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

test("digests are the platform's, for every length around the blocks and many beyond", () => {
  for (let length = 0; length < 300; length += 1) {
    const bytes = randomBytes(length);
    assert.equal(digestBytes(bytes), platform(bytes), `${length} bytes: ${bytes.toString("hex")}`);
  }
  for (let round = 0; round < 50; round += 1) {
    const bytes = randomBytes(1 + Math.floor(Math.random() * 200_000));
    assert.equal(digestBytes(bytes), platform(bytes));
  }
});

test("a view into a larger buffer is hashed alone", () => {
  const whole = randomBytes(1000);
  const view = new Uint8Array(whole.buffer, whole.byteOffset + 13, 500);
  assert.equal(digestBytes(view), platform(view));
});

test("nothing but the one spelling is a digest", () => {
  const good = digestBytes(new Uint8Array());
  assert.ok(isDigest(good) && sameDigest(good, good));
  for (const text of [good.toUpperCase(), good.slice(1), `${good}0`, ` ${good}`, `${good}\n`, good.replace("sha256", "sha512"), 1, null]) {
    assert.equal(isDigest(text), false);
    if (typeof text === "string") assert.equal(sameDigest(good, text), false);
  }
});
