// The receiver of the guide that is written with this package. Those in other languages need their tools: test/receivers/.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { transformSync } from "esbuild";
import { blockOf, freePort, hold, prepare, start } from "./receivers.mjs";

test("the receiver of the guide takes what is signed, once and in order, and proves it", async (context) => {
  const { folder, registry } = await prepare(context);
  const port = await freePort();
  const code = blockOf("mts").replace("127.0.0.1:8787", registry).replace("9400", String(port));
  writeFileSync(join(folder, "receiver.mjs"), transformSync(code, { loader: "ts", target: "node20" }).code);
  await hold({ launch: () => start(process.execPath, ["receiver.mjs"], folder), folder, port, fillsGaps: true });
  assert.equal(JSON.parse(readFileSync(join(folder, "follower.json"), "utf8")).size, 12);
});
