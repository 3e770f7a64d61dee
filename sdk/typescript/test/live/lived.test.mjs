// A registry whose log is in its second year: pruned, with a second key, restored from its export.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createJournalFollower, createLogFiles, createRegistryClient } from "../../dist/index.js";
import { bytes } from "../kit.mjs";
import { startLivedRegistry } from "./service.mjs";

const good = bytes("acceptance-request", "valid");

test("a log that was pruned, restored and given a new key is asked, proven and followed", async (context) => {
  const registry = await startLivedRegistry();
  context.after(registry.stop);
  const publicKeys = readFileSync(join(registry.data, "journal.pub"), "utf8").trim().split("\n");
  assert.equal(publicKeys.length, 2);
  const client = createRegistryClient({ baseUrl: registry.address, journal: { publicKeys } });
  assert.ok((await client.evaluateAcceptanceRequest(good)).ok);
  for (const answer of registry.answers) {
    const { receipt } = JSON.parse(answer);
    const kept = await client.journal.checkReceipt(answer);
    assert.equal(kept.value.record.sequence, receipt.index);
  }
  const files = createLogFiles({ baseUrl: registry.address });
  const follower = createJournalFollower({ publicKeys });
  const { size } = await follower.begin(files);
  assert.ok(size > registry.begins);
  await client.evaluateAcceptanceRequest(good);
  for (const events of [() => follower.tiles(files), () => follower.connect({ baseUrl: registry.address, signal: AbortSignal.timeout(20_000) })]) {
    const { value: newest } = await client.journal.checkpoint();
    const before = follower.state.size;
    let records = 0;
    for await (const event of events()) {
      if (event.kind === "record") records += 1;
      else if (event.to >= newest.size) break;
    }
    assert.equal(records, newest.size - before);
    await client.evaluateAcceptanceRequest(good);
  }
});
