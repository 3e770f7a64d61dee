// A follower of running registries: by tiles, and by the stream, through a restart and past a log that was put back.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createJournalFollower, createLogFiles, createRegistryClient } from "../../dist/index.js";
import { bytes } from "../kit.mjs";
import { startRegistry } from "./service.mjs";

const good = bytes("acceptance-request", "valid");
const bad = bytes("acceptance-request", "accepted-true");
const publicKeys = ({ data }) => [readFileSync(join(data, "journal.pub"), "utf8")];

/** Puts so many answers on record. */
async function ask({ address }, count) {
  const client = createRegistryClient({ baseUrl: address });
  for (let time = 0; time < count; time += 1) await client.evaluateAcceptanceRequest(time % 3 === 1 ? bad : good);
}

/** Follows until so many records are proven, and gives their places. */
async function until(events, size) {
  const places = [];
  for await (const event of events) {
    if (event.kind === "record") places.push(event.index);
    else if (event.to >= size) return places;
  }
  return places;
}

const upTo = (first, last) => Array.from({ length: last - first }, (_, at) => first + at);

test("the log of a registry is followed by its tiles, over the edge of one", async (context) => {
  const registry = await startRegistry();
  context.after(registry.stop);
  const files = createLogFiles({ baseUrl: registry.address });
  const first = createJournalFollower({ publicKeys: publicKeys(registry) });
  await ask(registry, 5);
  assert.deepEqual(await until(first.tiles(files), 5), upTo(0, 5));
  await ask(registry, 260);
  const second = createJournalFollower({ publicKeys: publicKeys(registry), state: JSON.stringify(first.state) });
  assert.deepEqual(await until(second.tiles(files), 265), upTo(5, 265));
  const late = createJournalFollower({ publicKeys: publicKeys(registry) });
  assert.equal((await late.begin(files)).size, 265);
  await ask(registry, 1);
  assert.deepEqual(await until(late.tiles(files), 266), [265]);
});

test("the stream of a registry is followed while it grows, and again after a restart", async (context) => {
  const registry = await startRegistry();
  const follower = createJournalFollower({ publicKeys: publicKeys(registry) });
  const connect = (to) => follower.connect({ baseUrl: to.address, signal: AbortSignal.timeout(20_000) });
  await ask(registry, 3);
  const following = until(connect(registry), 10);
  await ask(registry, 7);
  assert.deepEqual(await following, upTo(0, 10));
  await registry.halt();
  const again = await startRegistry(registry.data);
  context.after(() => Promise.all([registry.stop(), again.stop()]));
  await ask(again, 4);
  assert.deepEqual(await until(connect(again), 14), upTo(10, 14));
});

test("a registry that is killed in the middle of a stream is come back to", async (context) => {
  let registry = await startRegistry();
  const first = registry;
  const [places, reasons] = [[], new Set()];
  const follower = createJournalFollower({ publicKeys: publicKeys(registry) });
  const toWhoeverRuns = (address, init) => fetch(address.replace(first.address, registry.address), init);
  const events = follower.connect({ baseUrl: first.address, fetch: toWhoeverRuns, signal: AbortSignal.timeout(20_000), onRetry: ({ reason }) => reasons.add(reason) });
  await ask(registry, 3);
  for await (const event of events) {
    if (event.kind === "record") places.push(event.index);
    else if (event.to === 3) {
      // The stream is opened behind this event, and then cut.
      setTimeout(async () => {
        await first.kill();
        const again = await startRegistry(first.data);
        context.after(() => Promise.all([first.stop(), again.stop()]));
        registry = again;
        await ask(again, 4);
      }, 500);
    } else if (event.to >= 7) break;
  }
  assert.deepEqual(places, upTo(0, 7));
  assert.ok(reasons.has("unreachable"), [...reasons].join());
});

test("a registry that was put back is found out", async (context) => {
  const registry = await startRegistry();
  await ask(registry, 3);
  await registry.halt();
  const [kept, rewound] = [await startRegistry(registry.data), await startRegistry(registry.data)];
  context.after(() => Promise.all([registry.stop(), kept.stop(), rewound.stop()]));
  const follower = createJournalFollower({ publicKeys: publicKeys(registry) });
  await ask(kept, 5);
  await until(follower.tiles(createLogFiles({ baseUrl: kept.address })), 8);
  const { state } = follower;
  await assert.rejects(until(follower.connect({ baseUrl: rewound.address }), 20), ({ code }) => code === "follow-ahead-of-log" || code === "log-shrank");
  await assert.rejects(until(follower.tiles(createLogFiles({ baseUrl: rewound.address })), 20), { code: "log-shrank" });
  await ask(rewound, 9);
  await assert.rejects(until(follower.tiles(createLogFiles({ baseUrl: rewound.address })), 20), { code: "log-forked" });
  assert.deepEqual(follower.state, state, "what was proven stays");
});
