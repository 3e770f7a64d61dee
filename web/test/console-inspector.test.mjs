// The Inspector says of a bundle what svc app verify says, of every bundle, and never what it said of another.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { described, verdictOf, writeBundle } from "./bundles.mjs";
import { asJson, expectQuiet, give, startEverything, words } from "./console-pages.mjs";
import { startConsole, startService } from "./console-server.mjs";

/** The most bytes of an index, and how long the longest may keep a page busy on a machine that is. */
const MOST_INDEX_BYTES = 16 * 1024 * 1024;
const MOST_BUSY_MS = 6_000;

let all;
before(async () => {
  all = await startEverything();
});
after(() => all?.stop());

test("the verdict of the page is that of svc app verify on every bundle of the kit", async () => {
  const page = await all.open("/console/");
  for (const [at, { name, files }] of described().entries()) {
    const folder = writeBundle(join(all.work.folder, `verdict-${at}`), files);
    const expected = verdictOf(folder);
    if (at > 0) await page.getByRole("button", { name: "Take both away" }).click();
    await give(page, folder);
    const shown = await page.evaluate(() => ({
      valid: document.querySelector("#verdict h2").textContent,
      codes: [...document.querySelectorAll("#verdict .list > li")].map((item) => `${item.querySelectorAll("code")[0].textContent} ${[...item.querySelectorAll("p")][1].textContent.replace(/^at /, "").replace(/:\d+:\d+/, "")}`.trim()),
      broken: document.querySelectorAll("#chain .wide .edge.broken").length,
      bad: document.querySelectorAll("#chain .wide .box:is(.refused, .missing)").length,
      outcome: document.querySelector("#verdict").textContent.includes("not accepted, not signed, not installable"),
    }));
    const codes = expected.findings.map((line) => line.replace(/^(\S+) (\S+) ?(.*)$/, "$2 $1 $3").trim()).sort();
    assert.deepEqual(
      { ...shown, codes: shown.codes.sort() },
      { valid: `Valid: ${expected.valid ? "yes" : "no"}`, codes, broken: expected.brokenEdge === undefined ? 0 : 1, bad: expected.valid || expected.brokenEdge !== undefined ? 0 : 1, outcome: true },
      name,
    );
    if (expected.valid) assert.match(await words(page, "#verdict"), /own-rules/.test(name) ? /the review is the one that the rules give/ : /was not compared with what these give/, name);
  }
  await page.context().close();
});

test("a folder that is dropped is read like one that is chosen, two at once are compared, and nothing is sent", async () => {
  const page = await all.open("/console/");
  const asked = all.web.state.asked.length;
  const target = await page.locator(".slot").first().boundingBox();
  const cdp = await page.context().newCDPSession(page);
  const drop = { x: target.x + 40, y: target.y + target.height - 20, data: { items: [], files: [all.bundles.blocked, all.bundles.plain], dragOperationsMask: 1 } };
  for (const type of ["dragEnter", "dragOver", "drop"]) await cdp.send("Input.dispatchDragEvent", { type, ...drop });
  await page.waitForSelector("#verdict");
  assert.match(await words(page, "#verdict"), /Valid: yes/);
  assert.match(await words(page, "#difference"), /What changed since dev\.acme\.weather-board 1\.2\.0.*added permission camera\.capture \(high risk\)/);
  assert.match(await words(page, "#uses"), /clipboard\.read.*used, not declared/);
  assert.match(await words(page, "#findings"), /SVC-P013.*Why: .*The way out: /);
  const link = page.locator("#findings a").first();
  assert.match(await link.getAttribute("href"), /\/console\/rules\/SVC-[A-Z]\d{3}$/);
  await page.getByRole("button", { name: "Swap the two" }).click();
  assert.match(await words(page, "#difference"), /removed permission camera\.capture/);
  assert.equal(all.web.state.asked.length, asked, "no byte left the page");
  // Beside its place a drop is taken by nobody, and does not lead away.
  for (const type of ["dragEnter", "dragOver", "drop"]) await cdp.send("Input.dispatchDragEvent", { type, ...drop, y: 5 });
  assert.ok(page.url().endsWith("/console/"));
  await page.context().close();
});

test("the registry is asked by six documents, and every answer is proven in the page", async () => {
  const page = await all.open("/console/");
  await give(page, all.bundles.plain);
  await page.getByRole("button", { name: "Ask the registry" }).press("Enter");
  await page.waitForFunction(() => document.querySelector("#ask .live").textContent.startsWith("Asked"));
  const text = await words(page, "#ask");
  assert.match(text, /Asked 6 times; 6 of the answers have a receipt that holds\. Checked in this page with keys that this same server served/);
  assert.equal(await page.locator("#ask .list > li").count(), 6);
  assert.equal(await page.locator("#ask .list strong.bad").count(), 6, "each is a no");
  await page.context().close();
});

test("an answer that lies is not shown as an answer", async () => {
  const isAnswer = (url) => url === "/api/sdk/registry/install-policy";
  for (const [change, why] of [
    [(body) => ({ ...body, accepted: true }), /This does not hold.*fail-open/],
    [(body) => ({ ...body, requestId: "another" }), /This does not hold.*proof-/],
    [({ receipt: _, ...body }) => body, /This does not hold.*proof-missing/],
  ]) {
    const page = await all.open("/console/");
    await give(page, all.bundles.plain);
    all.web.lie(async (url, honest) => (isAnswer(url) ? asJson(change(JSON.parse((await honest()).body))) : undefined));
    await page.getByRole("button", { name: "Ask the registry" }).click();
    await page.waitForFunction(() => document.querySelector("#ask .live").textContent.startsWith("Asked"));
    assert.match(await words(page, "#ask .list > li:last-child"), why);
    assert.match(await words(page, "#ask"), /5 of the answers have a receipt that holds/);
    all.web.beHonest();
    await page.context().close();
  }
});

/** A copy of a bundle, its submission changed. */
function changed(name, change) {
  const folder = join(all.work.folder, name);
  cpSync(all.bundles.plain, folder, { recursive: true });
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")), file)));
  }
  return folder;
}

/** Every document with so many files of a media type that they do not have. */
const flooded = (name, count) =>
  changed(name, (document) => {
    const table = document.packageArtifact ?? document.entries?.[0]?.submission?.packageArtifact;
    if (table !== undefined) table.files = Array.from({ length: count }, (_, at) => ({ ...table.files[0], mediaType: "no/such", path: `dist/${String(at).padStart(5, "0")}.js` }));
    return document;
  });

test("a bundle with more faults than a page bears is a no, and nothing stands of the one before it", async () => {
  const flood = flooded("flood", 9_000);
  const page = await all.open("/console/");
  await give(page, all.bundles.plain);
  assert.match(await words(page, "#verdict"), /Valid: yes/);
  await give(page, flood);
  const text = await words(page);
  assert.match(text, /Valid: no/);
  assert.doesNotMatch(text, /Valid: yes|call stack|RangeError/);
  assert.match(await words(page, "#verdict"), /and [\d,]+ more; svc app verify lists more\./);
  assert.equal(await page.locator("#verdict .list > li").count(), 100);
  assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 5_000);
  await page.context().close();
});

test("whatever throws in the page is a no in our words, and the registry is not asked about the bundle before", async () => {
  const page = await all.open("/console/");
  await give(page, all.bundles.plain);
  const asked = all.web.state.asked.length;
  for (const [breaking, why] of [
    [() => (Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException("engine words", "NotReadableError"))), /Valid: no svc-registry-\S+ could not be read: it was moved or changed meanwhile, or this browser may not read it\./],
    [() => (Object.freeze = () => { throw new RangeError("engine words"); }), /Valid: no The check of plain-bundle in this page did not come to its end\. svc app verify checks it/],
    [() => (Document.prototype.createElementNS = () => { throw new RangeError("engine words"); }), /Valid: no plain-bundle cannot be shown in this page\. svc app verify checks it/],
  ]) {
    await page.evaluate(`(${breaking})(); 0`);
    await give(page, all.bundles.plain);
    const text = await words(page);
    assert.match(text, why);
    assert.doesNotMatch(text, /Valid: yes|engine words/);
    assert.match(await words(page, ".slot:first-child"), /Not taken|Here: /);
    await page.reload();
    await give(page, all.bundles.plain);
    assert.match(await words(page, "#verdict"), /Valid: yes/);
  }
  assert.ok(!all.web.state.asked.slice(asked).some(({ method }) => method === "POST"));
  await page.context().close();
});

test("two files of one name are refused and told apart, and so are more bundles than there is room for", async () => {
  const page = await all.open("/console/");
  await give(page, all.bundles.plain);
  const name = "svc-registry-index.json";
  const others = readdirSync(all.bundles.plain).filter((file) => file !== name).map((file) => join(all.bundles.plain, file));
  await page.setInputFiles("#bundle-files", [...others, join(all.bundles.plain, name), join(all.bundles.blocked, name)]);
  await page.waitForFunction(() => document.querySelector("#verdict h2")?.textContent === "Valid: no");
  const sizes = [all.bundles.plain, all.bundles.blocked].map((folder) => statSync(join(folder, name)).size.toLocaleString("en-US"));
  assert.match(await words(page, "#verdict"), new RegExp(`Two of the files are called svc-registry-index\\.json: one of ${sizes[0]} bytes, changed .* UTC, and one of ${sizes[1]} bytes`));
  assert.equal(await page.getByRole("button", { name: "Ask the registry" }).count(), 0);
  const three = join(all.work.folder, "three");
  for (const [at, from] of [all.bundles.plain, all.bundles.blocked, all.bundles.minimal].entries()) cpSync(from, join(three, String(at)), { recursive: true });
  await give(page, three);
  assert.match(await words(page, "#verdict"), /Valid: no These are 3 bundles, and there is room for two: three\/\d, three\/\d, three\/\d\./);
  await page.setInputFiles("#bundle-files", [...others, join(all.bundles.plain, name)]);
  await page.waitForFunction(() => document.querySelector("#verdict h2")?.textContent === "Valid: yes");
  assert.match(await words(page, ".slot:first-child"), /Here: the files that you chose, 7 of 7 files: svc-registry-acceptance-request\.json, /);
  await page.context().close();
});

test("an older bundle that does not hold is not compared, and it is not said that none was given", async () => {
  const page = await all.open("/console/");
  await give(page, all.bundles.plain);
  assert.match(await words(page, "#not-looked-at"), /An older version: none was given above\./);
  await give(page, all.bundles.broken, "older");
  await page.waitForSelector("#difference");
  assert.match(await words(page, "#difference"), /Not told\. The older bundle, broken-bundle, does not hold/);
  assert.match(await words(page, "#not-looked-at"), /The older bundle: it could not be compared\./);
  await give(page, all.bundles.minimal, "older");
  await page.waitForFunction(() => !document.querySelector("#difference").textContent.includes("Not told"));
  assert.doesNotMatch(await words(page, "#not-looked-at"), /older/i);
  await page.context().close();
});

test("of a broken chain only what was reached looks as if it held", async () => {
  const page = await all.open("/console/");
  await give(page, all.bundles.broken);
  const boxes = await page.evaluate(() => [...document.querySelectorAll("#chain .wide .box")].map((box) => `${box.querySelector(".name").textContent} ${box.classList[1]}`));
  assert.deepEqual(boxes, ["submission holds", "index holds", "acceptance-request apart", "publisher-verification alone", "review-evidence alone", "signing-request alone", "install-policy alone"]);
  const edges = await page.evaluate(() => [...document.querySelectorAll("#chain .wide .edge")].map((edge) => edge.classList[1]));
  assert.equal(edges.at(-1), "holds", "no broken edge lies over one that holds");
  await page.context().close();
});

test("without a journal nothing is said to be on record", async () => {
  const service = await startService("--journal", "off");
  const web = await startConsole(service);
  try {
    const page = await all.open("/console/", { from: web });
    await give(page, all.bundles.plain);
    assert.match(await words(page, "#ask"), /Where the registry keeps a journal, each question and its answer become a record of it/);
    await page.getByRole("button", { name: "Ask the registry" }).click();
    await page.waitForFunction(() => document.querySelector("#ask .live").textContent.startsWith("Asked"));
    assert.match(await words(page, "#ask"), /Asked 6 times; 0 of the answers have a receipt that holds\..*No receipt: this answer is not on record/);
    await page.context().close();
  } finally {
    await web.stop();
    await service.stop();
  }
});

/** Holds every reading of a file until the test lets it go on. */
const hold = (page) =>
  page.evaluate(() => {
    const read = Blob.prototype.arrayBuffer;
    const gate = new Promise((open) => (globalThis.letGo = open));
    Blob.prototype.arrayBuffer = async function () {
      await gate;
      return read.call(this);
    };
  });

const letGo = (page) => page.evaluate(() => globalThis.letGo());

test("two places that are filled at once are both read, and of two choices for one place the later stays", async () => {
  const page = await all.open("/console/");
  await hold(page);
  for (const [slot, name] of [["bundle", "broken"], ["bundle", "blocked"], ["older", "plain"]]) await page.setInputFiles(`#${slot}-folder`, all.bundles[name]);
  await letGo(page);
  await page.waitForSelector("#difference");
  assert.match(await words(page, "main > .live"), /^Valid: yes/);
  for (const slot of ["bundle", "older"]) assert.match(await words(page, `.slot:has(#${slot}-folder) .drop`), /^Here: .*7 of 7 files/);
  await page.context().close();
});

test("while a bundle is read nothing stands of the one before it, and whoever comes back sees what came of it", async () => {
  const page = await all.open("/console/");
  await give(page, all.bundles.plain);
  await hold(page);
  await page.setInputFiles("#bundle-folder", all.bundles.broken);
  const slot = () => words(page, ".slot:has(#bundle-folder) .drop");
  assert.equal(await slot(), "Reading…");
  await page.getByRole("link", { name: "Gates" }).click();
  await page.getByRole("link", { name: "Inspector" }).click();
  assert.equal(await slot(), "Reading…");
  assert.equal(await words(page, "main > .live"), "Reading…");
  await letGo(page);
  await page.waitForSelector("#verdict");
  assert.match(await words(page, "#verdict"), /^Valid: no/);
  assert.match(await slot(), /^Here: /);
  await page.context().close();
});

test("an index as long as one may be keeps the page busy for a moment alone", async () => {
  const folder = join(all.work.folder, "long");
  mkdirSync(folder);
  // One value for every two bytes: no document has more of them.
  writeFileSync(join(folder, "svc-registry-index.json"), `[${"0,".repeat(MOST_INDEX_BYTES / 2 - 2)}0]`);
  const page = await all.open("/console/");
  const cdp = await page.context().newCDPSession(page);
  // The time that the page itself worked: another test on the same machine does not count.
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => (await cdp.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  const before = await worked();
  await page.setInputFiles("#bundle-folder", folder);
  await page.waitForSelector("#verdict");
  assert.match(await words(page, "#verdict"), /Valid: no.*the root is a list, not an object/);
  const busy = (await worked()) - before;
  assert.ok(busy > 0 && busy < MOST_BUSY_MS, `${busy} ms`);
  await page.context().close();
});

test("no request left any page for elsewhere, and the browser complained about nothing", () => expectQuiet(all));
