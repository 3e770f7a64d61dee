// The pictures of the guide are those that `node web/test/images.mjs` makes, but for times, names and the look of letters.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FOLDER, makeImages } from "./images.mjs";
import { decode, difference, encode } from "./png.mjs";

const MOST_BYTES = 60 * 1024;

test("the pictures of the guide show the pages as they are", async () => {
  const made = await makeImages();
  assert.deepEqual(readdirSync(FOLDER).filter((name) => name.startsWith("console-")).sort(), [...made.keys()].sort());
  for (const [file, image] of made) {
    const committed = readFileSync(join(FOLDER, file));
    assert.ok(committed.length <= MOST_BYTES, `${file} has ${committed.length} bytes`);
    const share = difference(decode(committed), decode(image));
    assert.ok(share < 0.05, `${file} shows another page in ${(share * 100).toFixed(1)} of 100 pixels: run node web/test/images.mjs`);
  }
});

test("two pictures of different pages differ, and one that was made small is the same", () => {
  const [log, decisions] = ["console-log.png", "console-decisions.png"].map((file) => decode(readFileSync(join(FOLDER, file))));
  assert.ok(difference(log, decisions) > 0.05);
  assert.equal(difference(log, decode(encode(log))), 0);
});

test("a colour of few pixels stays what it is in a picture that was made small", () => {
  // A word in each colour of a state, on a page with more shades of grey than a palette has places.
  const states = [[0x11, 0x63, 0x29], [0xb3, 0x1d, 0x28], [0x7d, 0x4e, 0x00], [0x05, 0x50, 0xae]];
  const [width, height] = [200, 200];
  const pixels = Buffer.alloc(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel += 1) pixels.fill(pixel % 251, pixel * 3, pixel * 3 + 3);
  states.forEach((state, row) => Array.from({ length: 40 }, (_, at) => pixels.set(state, (row * width + at) * 3)));
  const small = decode(encode({ width, height, pixels }));
  for (const [row, state] of states.entries()) assert.deepEqual([...small.pixels.subarray(row * width * 3, row * width * 3 + 3)], state);
});
