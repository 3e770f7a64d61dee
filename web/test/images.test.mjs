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
