// That a log grew, by tiles and by the receipt of the next record; and what no log does by growing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { growthOf, isAt } from "../dist/receipt/growth.js";
import { endsOf } from "../dist/receipt/merkle.js";
import { Log, pathOf, rootOf, sha256 } from "./log.mjs";

/** A log of so many leaves; its records do not matter here. */
function logOf(size, of = (at) => `record ${at}`) {
  const log = new Log();
  log.leaves = Array.from({ length: size }, (_, at) => sha256([0], of(at)));
  return log;
}

const state = (log, size = log.leaves.length) => ({ origin: "x", size, root: rootOf(log.leaves.slice(0, size)), note: "" });

/** The tiles of a log, and how many were asked for. */
function tilesOf(log) {
  const asked = [];
  return { asked, read: async (path) => { asked.push(path); return log.tile(path); } };
}

const SIZES = [[0, 1], [1, 2], [1, 600], [3, 7], [255, 256], [256, 257], [255, 257], [300, 599], [511, 513], [512, 600], [1, 600]];

test("growth is proven by tiles for every pair of sizes, with few requests", async () => {
  const log = logOf(600);
  for (const [earlier, later] of SIZES) {
    const tiles = tilesOf(log);
    assert.equal(await growthOf(state(log, earlier), state(log, later), tiles.read), "grown", `${earlier} to ${later}`);
    assert.ok(tiles.asked.length <= 4 && new Set(tiles.asked).size === tiles.asked.length, tiles.asked.join());
  }
  const large = logOf(256 * 256 + 300);
  const tiles = tilesOf(large);
  assert.equal(await growthOf(state(large, 65_546), state(large), tiles.read), "grown");
  assert.ok(tiles.asked.includes("tile/2/000.p/1") && tiles.asked.length === 3, tiles.asked.join());
});

test("the receipt of the next record proves growth without asking", async () => {
  const log = logOf(300);
  for (const [earlier, later] of [[0, 1], [1, 2], [6, 7], [6, 300], [255, 256], [256, 257]]) {
    const leaves = log.leaves.slice(0, later);
    const ends = endsOf(pathOf(leaves, earlier), later, earlier, leaves[earlier]);
    const never = () => assert.fail("asked");
    assert.equal(await growthOf(state(log, earlier), state(log, later), never, { index: earlier, ends }), "grown", `${earlier} to ${later}`);
    const other = { ...state(log, earlier), root: sha256("other") };
    assert.equal(await growthOf(other, state(log, later), never, { index: earlier, ends }), "forked");
  }
});

test("another log before the later state is a fork, and hashes that lead nowhere prove nothing", async () => {
  const [log, other] = [logOf(600), logOf(600, (at) => (at === 5 ? "rewritten" : `record ${at}`))];
  for (const [earlier, later] of SIZES.filter(([earlier]) => earlier > 5)) {
    assert.equal(await growthOf(state(other, earlier), state(log, later), tilesOf(log).read), "forked", `${earlier} to ${later}`);
    assert.equal(await growthOf(state(log, earlier), state(log, later), tilesOf(other).read), "unproven");
    assert.equal(await growthOf(state(log, earlier), state(log, later), async () => undefined), "unproven");
    assert.equal(await growthOf(state(log, earlier), state(log, later), async () => new Uint8Array(31)), "unproven");
  }
  assert.equal(await growthOf(state(log, 9), state(other, 9), tilesOf(log).read), "forked", "two roots of one size");
});

test("a leaf is at its place and nowhere else", async () => {
  const log = logOf(300);
  for (const place of [0, 1, 254, 255, 256, 299]) {
    assert.equal(await isAt(log.leaves[place], place, state(log), tilesOf(log).read), true);
    assert.equal(await isAt(log.leaves[place], (place + 1) % 300, state(log), tilesOf(log).read), false);
    assert.equal(await isAt(sha256("other"), place, state(log), tilesOf(log).read), false);
    const lying = tilesOf(log);
    const forged = async (path) => { const tile = Buffer.from(await lying.read(path)); tile[0] ^= 1; return tile; };
    assert.equal(await isAt(log.leaves[place], place, state(log), forged), false);
  }
});
