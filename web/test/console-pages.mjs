// The console in Chromium, for its tests and for the pictures of the guide: services with something to show, and pages that
// tell what they asked for and complained about.

import assert from "node:assert/strict";
import { named } from "../../sdk/typescript/test/kit.mjs";
import { makeBundles, scratch } from "./bundles.mjs";
import { evaluate, startConsole, startService } from "./console-server.mjs";
import { startBrowser } from "./pages.mjs";

export const JOURNAL = "/api/sdk/registry/journal/";


/** Answers that are on record when a test begins: three that hold, and three that each break another thing. */
export const DOCUMENTS = [
  ["/indexes/validate", "index.json#valid"],
  ["/acceptance-requests", "acceptance-request.json#valid"],
  ["/acceptance-requests", "acceptance-request.json#accepted-true"],
  ["/review-evidence", "review-evidence.json#document-digest-changed"],
  ["/signing-requests", "signing-request.json#valid"],
  ["/install-policy", "install-policy.json#member-missing"],
];

/** Everything that a run needs. */
export async function startEverything() {
  const work = scratch();
  const bundles = makeBundles(work.folder);
  const service = await startService("--journal-origin", "registry.example/journal");
  for (const [path, name] of DOCUMENTS) await evaluate(service, path, named(name));
  const [web, admin] = [await startConsole(service), await startConsole(service, { isAdmin: true })];
  const browser = await startBrowser();
  const strangers = [];
  const complaints = [];
  const stop = async () => {
    await browser.close();
    for (const server of [web, admin]) await server.stop();
    await service.stop();
    work.remove();
  };
  const open = (path, options = {}) => openPage({ browser, strangers, complaints, from: options.from ?? web }, path, options);
  return { work, bundles, service, web, admin, browser, strangers, complaints, open, stop, send: (at = 0) => evaluate(service, DOCUMENTS[at][0], named(DOCUMENTS[at][1])) };
}

/** A page that was opened, and everything that it asked for elsewhere or complained about since. */
async function openPage({ browser, strangers, complaints, from }, path, { width = 1280, height = 900, colorScheme = "light", javaScriptEnabled = true, context, reducedMotion = "no-preference", clock = false } = {}) {
  const own = context ?? (await browser.newContext({ viewport: { width, height }, colorScheme, javaScriptEnabled, reducedMotion }));
  const page = await own.newPage();
  page.on("request", (request) => {
    if (!request.url().startsWith(`${from.address}/`) && !request.url().startsWith("data:")) strangers.push(request.url());
  });
  page.on("console", (message) => {
    // The browser itself notes every answer that is not 2xx.
    if ((message.type() === "error" || message.type() === "warning") && !message.text().startsWith("Failed to load resource")) complaints.push(`${path}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${path}: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`${path}: a dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  // Where a test moves the time itself.
  if (clock) await page.clock.install();
  await page.goto(from.address + path);
  return page;
}

/** Waits until nothing on the page is busy any more. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector("h1") !== null && document.querySelector("[aria-busy]") === null);
}

/** The words that a part of a page shows. */
export const words = async (page, selector = "main") => (await page.locator(selector).innerText()).replace(/\s+/g, " ");

/** An answer as JSON. */
export const asJson = (body, status = 200, type = "application/json") => ({ status, headers: { "content-type": type }, body: JSON.stringify(body) });

/** A text that a server answers. */
export const asText = (body) => ({ headers: { "content-type": "text/plain" }, body });

/** A service of its own with so many records, the console before it, and the signed state after each record. */
export async function startLog(origin, count, ...settings) {
  const service = await startService("--journal-origin", origin, ...settings);
  const web = await startConsole(service);
  const notes = [];
  const send = async () => notes.push((await evaluate(service, "/install-policy", named("install-policy.json#valid"))).body.receipt.checkpoint);
  for (let at = 0; at < count; at += 1) await send();
  const stop = async () => {
    await web.stop();
    await service.stop();
  };
  return { service, web, notes, send, stop, lieBack: (note) => web.lie((url) => (url === `${JOURNAL}checkpoint` ? asText(note) : undefined)) };
}

/** A page while the server lies. */
export async function lied(all, path, lie, look, from = all.web) {
  from.lie(lie);
  const page = await all.open(path, { from });
  try {
    await settled(page);
    await look(page);
  } finally {
    from.beHonest();
    await page.context().close();
  }
}

/** Nothing was asked of elsewhere, and the browser complained about nothing. */
export function expectQuiet({ strangers, complaints }) {
  assert.deepEqual(strangers, []);
  assert.deepEqual(complaints, []);
}

/** Gives a bundle to the Inspector by its field. */
export async function give(page, folder, slot = "bundle") {
  await page.setInputFiles(`#${slot}-folder`, folder);
  await page.waitForFunction(() => !/^(|Reading…)$/.test(document.querySelector("main > .live").textContent));
}

/** Every view that is looked at: its name, its path, and what is done there first. */
export const views = ({ bundles, admin }) => [
  { name: "inspector", path: "/console/" },
  {
    name: "inspector-valid",
    path: "/console/",
    act: async (page) => {
      await give(page, bundles.plain);
      await give(page, bundles.blocked);
      await give(page, bundles.plain, "older");
      await page.waitForSelector("#difference");
      await page.getByRole("button", { name: "Ask the registry" }).click();
      await page.waitForFunction(() => document.querySelector("#ask .live").textContent.startsWith("Asked"));
    },
  },
  { name: "inspector-broken", path: "/console/", act: (page) => give(page, bundles.broken) },
  {
    name: "decisions",
    path: "/console/decisions",
    act: async (page) => {
      await page.locator(".records summary").first().click();
      await page.getByRole("button", { name: "Check its proof" }).click();
      await page.waitForSelector(".proof .good");
    },
  },
  { name: "log", path: "/console/log" },
  { name: "gates", path: "/console/gates" },
  { name: "service", path: "/console/service", from: admin, act: (page) => page.waitForFunction(() => !document.querySelector("#answers").textContent.includes("…"), undefined, { timeout: 20_000 }) },
];
