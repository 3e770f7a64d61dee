// The receiver of the guide that is written with this package. Those in other languages need their tools: test/receivers/.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repository } from "./kit.mjs";
import { entryOf } from "./log.mjs";
import { blockOf, delivery, freePort, hold, holdFiltered, keptIn, log, prepare, send, start } from "./receivers.mjs";

/** The receiver in a folder, made ready with the commands of the page. */
async function receiver(context, lie) {
  const { folder, registry } = await prepare(context, lie);
  const port = await freePort();
  writeFileSync(join(folder, "receiver.mts"), blockOf("mts").replace("127.0.0.1:8787", registry).replace("9400", String(port)));
  const [[npx, program, ...parameters], [node, ...file]] = blockOf("sh").trim().split("\n").map((line) => line.split(" "));
  assert.deepEqual([npx, program, node], ["npx", "esbuild", "node"]);
  // The one that is here: npx would ask for it.
  const { status, stderr } = spawnSync(join(repository, "sdk/typescript/node_modules/.bin/esbuild"), parameters, { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return { folder, port, launch: () => start(process.execPath, file, folder) };
}

test("the receiver of the guide takes what is signed, once and in order, and proves it", async (context) => {
  const { folder, port, launch } = await receiver(context);
  await hold({ launch, folder, port, fillsGaps: true });
  assert.equal(JSON.parse(readFileSync(join(folder, "follower.json"), "utf8")).size, 12);
});

test("it keeps what a filtered endpoint sends, beside what is proven", async (context) => {
  const { folder, port, launch } = await receiver(context);
  await holdFiltered({ launch, folder, port, file: "filtered.jsonl" });
  assert.deepEqual([keptIn(folder), existsSync(join(folder, "follower.json"))], [[], false]);
});

test("no alarm leaves a record behind that the log does not hold, or one twice", async (context) => {
  let lies = { entries: 0, hashes: 0 };
  const forged = log.records.map((record, at) => (at === 2 ? { ...record, requestId: "forged" } : record));
  const { folder, port, launch } = await receiver(context, (path, body) => {
    if (path.startsWith("tile/entries/")) return lies.entries-- > 0 ? Buffer.concat(forged.map(entryOf)) : body;
    return path.startsWith("tile/") && lies.hashes-- > 0 ? undefined : body;
  });
  const asForged = (body) => {
    for (const row of body.data.records) row.record.requestId = "forged";
    return body;
  };
  let running = await launch();
  const expect = async (name, sent, status, count) => {
    assert.equal(await send(port, sent), status, name);
    assert.deepEqual(keptIn(folder).map(({ record }) => record), log.records.slice(0, count), name);
  };
  try {
    lies = { entries: 1, hashes: 0 };
    await expect("a gap, and a forged tile", delivery(10, 12), 500, 0);
    await expect("a forged delivery", delivery(0, 3, { change: asForged }), 500, 0);
    await expect("a true one", delivery(0, 3), 204, 3);
    lies = { entries: 0, hashes: 100 };
    await expect("a forged delivery that nothing proves yet", delivery(3, 5, { change: asForged }), 204, 3);
    lies = { entries: 0, hashes: 0 };
    await expect("a true one behind it", delivery(5, 8), 500, 3);
    await expect("the same again", delivery(5, 8), 204, 12);
    await running.stop();
    // As after a crash between the two files.
    const state = JSON.parse(readFileSync(join(folder, "follower.json"), "utf8"));
    assert.equal(state.size, 12);
    writeFileSync(join(folder, "events.jsonl"), '{"index":12,"ty', { flag: "a" });
    rmSync(join(folder, "follower.json"));
    running = await launch();
    await expect("what comes again after a crash", delivery(0, 12), 204, 12);
  } finally {
    await running.stop();
  }
});
