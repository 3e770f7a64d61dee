// Decisions while the registry does not answer: only what was heard is said, and whoever waits sees it come back.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { named } from "../../sdk/typescript/test/kit.mjs";
import { expectQuiet, JOURNAL, settled, startEverything, startLog, words } from "./console-pages.mjs";
import { evaluate, startConsole, startService } from "./console-server.mjs";
import { runSvcRegistry } from "./pages.mjs";

let all;
before(async () => {
  all = await startEverything();
});
after(() => all?.stop());

const LIVE = /^New decisions come by the stream\. Last heard at \d\d:\d\d:\d\d UTC\.$/;
const isStream = (url) => url.startsWith(`${JOURNAL}stream`);

const way = (page, pattern) => page.waitForFunction((source) => new RegExp(source).test(document.querySelector(".way")?.textContent ?? ""), pattern.source);

/** A page on its own clock, without the records of others. */
async function opened(web) {
  const page = await all.open("/console/decisions", { from: web, clock: true });
  await settled(page);
  return page;
}

test("a stream that has not answered is not called one", async () => {
  const { web, stop } = await startLog("registry.example/dead", 2);
  try {
    web.lie((url) => (isStream(url) ? new Promise(() => {}) : undefined));
    const page = await opened(web);
    assert.equal(await words(page, ".way"), "Connecting to the stream…");
    await page.clock.runFor(31_000);
    await way(page, /^The stream broke off: the registry did not answer in time \(timeout\)\. It is opened again\.$/);
    // Trying again is no news either.
    await page.clock.runFor(4_000);
    assert.match(await words(page, ".way"), /^The stream broke off/);
    web.beHonest();
    await page.clock.runFor(40_000);
    await way(page, LIVE);
    await page.context().close();
  } finally {
    await stop();
  }
});

test("a stream that falls quiet is told, with the time of the last news", async () => {
  const { web, stop } = await startLog("registry.example/quiet", 2);
  try {
    let send;
    web.lie((url) => (isStream(url) ? { headers: { "content-type": "text/event-stream" }, stream: (response) => (send = (text) => response.write(text))(":\n\n") } : undefined));
    const page = await opened(web);
    await way(page, LIVE);
    await page.clock.runFor(16_000);
    await way(page, /^Nothing comes by the stream, not even the comment that a registry sends every 10 seconds: .* Last heard at \d\d:\d\d:\d\d UTC\.$/);
    send(":\n\n");
    await way(page, LIVE);
    await page.clock.runFor(31_000);
    await way(page, /^The stream broke off: .* Last heard at \d\d:\d\d:\d\d UTC\.$/);
    await page.context().close();
  } finally {
    await stop();
  }
});

test("the length of the log is that of the newest proven state, by the stream and by asking", async () => {
  for (const events of ["on", "off"]) {
    const { web, send, stop } = await startLog(`registry.example/length-${events}`, 3, "--events", events);
    try {
      const page = await opened(web);
      await way(page, events === "on" ? LIVE : /^This server has no stream: it is asked every 10 seconds\. Last heard at /);
      for (const size of [5, 8, 70]) {
        const count = Number((await words(page, ".counts")).match(/the log has (\d+)/)[1]);
        for (let at = count; at < size; at += 1) await send();
        if (events === "off") await page.clock.runFor(11_000);
        await page.waitForFunction((wanted) => document.querySelector(".counts").textContent === wanted, `Shown: ${size} of ${size} that were read; the log has ${size}.`);
      }
      await page.context().close();
    } finally {
      await stop();
    }
  }
});

test("a page that was opened during an outage recovers, and says that it asks again", async () => {
  const { web, stop } = await startLog("registry.example/outage", 2);
  const again = /The server is asked again every 15 seconds\./;
  try {
    const page = await all.open("/console/gates", { from: web, clock: true });
    await settled(page);
    for (const [name, isBack] of [["Decisions", () => document.querySelectorAll(".records .good").length === 2], ["Log", () => document.querySelector("#size") !== null], ["Gates", () => document.querySelector("#same .good") !== null]]) {
      web.lie((url) => (url.startsWith("/api/") ? { status: 502, headers: { "content-type": "text/plain" }, body: "" } : undefined));
      await page.getByRole("link", { name }).click();
      await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("main").textContent), again.source);
      await page.clock.runFor(16_000);
      await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("main").textContent), again.source);
      web.beHonest();
      await page.clock.runFor(16_000);
      await page.waitForFunction(isBack);
      assert.doesNotMatch(await words(page), again);
    }
    await page.context().close();
  } finally {
    await stop();
  }
});

test("older decisions that could not be read can be asked for again", async () => {
  const { web, stop } = await startLog("registry.example/older", 60);
  try {
    const page = await all.open("/console/decisions", { from: web });
    await settled(page);
    const more = page.getByRole("button", { name: "Older decisions" });
    web.lie((url) => (url.startsWith(`${JOURNAL}entries`) ? { status: 502, headers: { "content-type": "text/plain" }, body: "" } : undefined));
    await more.click();
    await page.waitForSelector(".pending .doubt");
    web.beHonest();
    await more.click();
    await page.waitForFunction(() => document.querySelectorAll(".records .good").length === 60);
    assert.equal(await page.locator(".doubt").count(), 0);
    await page.context().close();
  } finally {
    await stop();
  }
});

test("the first decision of all comes without a reload", async () => {
  const { web, send, stop } = await startLog("registry.example/empty", 0);
  try {
    const page = await opened(web);
    assert.equal(await words(page, ".counts"), "Shown: 0 of 0 that were read; the log has 0.");
    await send();
    await page.waitForFunction(() => document.querySelector(".counts").textContent === "Shown: 1 of 1 that were read; the log has 1.");
    await page.context().close();
  } finally {
    await stop();
  }
});

test("a token that ends while decisions are followed is told with what to do", async () => {
  const { folder } = all.work;
  const tokens = join(folder, "tokens-ending.json");
  const create = (name, scope) => runSvcRegistry(folder, "token", "create", name, "--scope", scope, "--file", tokens).trim();
  const [reader, sender] = [create("reader", "read"), create("sender", "preflight")];
  const service = await startService("--tokens", tokens);
  const web = await startConsole(service);
  try {
    await evaluate(service, "/install-policy", named("install-policy.json#valid"), { authorization: `Bearer ${sender}` });
    const page = await all.open("/console/decisions", { from: web });
    await page.waitForFunction(() => /Give a token of the scope/.test(document.querySelector("main").textContent));
    await page.getByText("Token and keys", { exact: true }).click();
    await page.fill("#token", reader);
    await page.press("#token", "Enter");
    await way(page, LIVE);
    runSvcRegistry(folder, "token", "revoke", "reader", "--file", tokens);
    await way(page, /The token that you gave was refused: it is none of this registry's, or has ended\. Give another one under Token and keys\./);
    await page.context().close();
  } finally {
    await web.stop();
    await service.stop();
  }
});

test("no request left any page for elsewhere, and the browser complained about nothing", () => expectQuiet(all));
