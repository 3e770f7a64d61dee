// The page of `svc app report` in Chromium: nothing in a package becomes more than text, nothing is asked for, and everybody
// can read it.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { axe, makePages, modelOf, runSvc, startBrowser, withModel } from "./pages.mjs";

const PAGES = ["plain.html", "blocked.html", "without-files.html"];

let pages;
let browser;
const strangers = [];
const complaints = [];

before(async () => {
  pages = makePages();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  pages?.remove();
});

/** A page that was opened, and everything that it asked for or complained about since. */
async function open(name, { width = 1280, colorScheme = "light", javaScriptEnabled = true, address = pages.address(name) } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled });
  const page = await context.newPage();
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address && !request.url().startsWith("data:")) strangers.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`${name}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${name}: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`${name}: a dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await page.goto(address);
  return page;
}

const NAUGHTY = [
  "</script><img src=x onerror=alert(1)>",
  "</pre><script>alert(1)</script>",
  "<!--<script>",
  '"><svg onload=alert(1)><iframe srcdoc=x>',
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "${alert(1)}{{7*7}}`x`",
  "__proto__",
  "constructor",
  "&lt;img src=x&gt;&#x3c;b&#x3e;",
  "\u202eevil\u2066 \u200b \ud83d\ude80 \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
  "\u2028\u2029\u0000\u0007",
  "x".repeat(64 * 1024),
];

/** The model with a text in the place of every text but those that are words of ours to the script. */
function fill(value, text, key = "") {
  if (typeof value === "string") return ["how", "severity", "standing", "state", "onDisk", "data", "digest"].includes(key) ? value : text;
  if (Array.isArray(value)) return value.map((item) => fill(item, text, key));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, text, name)]));
}

test("a naughty text in every field creates no element", async () => {
  const html = pages.text("blocked.html");
  const count = (page) =>
    page.evaluate(() => {
      const counts = {};
      // The script marks names between backticks in sentences of the rules; those are the only elements that a text decides on.
      for (const { localName } of document.querySelectorAll("*:not(code, wbr)")) counts[localName] = (counts[localName] ?? 0) + 1;
      return counts;
    });
  pages.write("filled.html", withModel(html, fill(modelOf(html), "plain")));
  const plain = await count(await open("filled.html"));
  for (const [at, text] of NAUGHTY.entries()) {
    const name = `naughty-${at}.html`;
    pages.write(name, withModel(html, fill(modelOf(html), text)));
    const page = await open(name, { width: 320 });
    assert.deepEqual(await count(page), plain, text.slice(0, 80));
    assert.equal(await page.evaluate(() => document.querySelector("h1 bdi").textContent), text);
    assert.deepEqual(await page.evaluate(() => globalThis.violations), [], text.slice(0, 80));
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${text.slice(0, 80)}: ${overflow} beyond the edge`);
    await page.context().close();
  }
});

test("a picture that is none of the three forms is not shown", async () => {
  const html = pages.text("plain.html");
  for (const data of ["https://evil.example/x.png", "data:image/svg+xml;base64,PHN2Zz4=", "data:text/html;base64,PGI+", "javascript:alert(1)", "x"]) {
    const model = modelOf(html);
    model.listing.icon.data = data;
    for (const shot of model.listing.screenshots) shot.data = data;
    pages.write("picture.html", withModel(html, model));
    const page = await open("picture.html");
    assert.equal(await page.locator("img").count(), 0, data);
    await page.context().close();
  }
});

test("the script has no way to run or make anything out of text, and the policy holds", async () => {
  const page = await open("plain.html");
  const tried = await page.evaluate(async () => {
    const attempt = async (act) => {
      try {
        return `did: ${await act()}`;
      } catch (error) {
        return error.name;
      }
    };
    return {
      markup: await attempt(() => (document.createElement("div").innerHTML = "<b>x</b>")),
      policy: await attempt(() => globalThis.trustedTypes.createPolicy("any", {}).name),
      request: await attempt(() => fetch("https://evil.example/").then(() => "answered")),
    };
  });
  assert.deepEqual(tried, { markup: "TypeError", policy: "TypeError", request: "TypeError" });
  const blocked = await page.evaluate(
    () =>
      new Promise((done) => {
        const image = document.createElement("img");
        image.onerror = () => done("blocked");
        image.onload = () => done("loaded");
        image.src = "https://evil.example/x.png";
        document.body.append(image);
      }),
  );
  assert.equal(blocked, "blocked");
  await page.context().close();
  // What this test asked for is refused before it leaves the page, and the browser says so.
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !/evil\.example|TrustedHTML|TrustedTypePolicy|Fetch API/.test(text)));
  strangers.splice(0, strangers.length, ...strangers.filter((address) => !address.startsWith("https://evil.example/")));
});

test("the page is accessible in both schemes, wide and narrow", async () => {
  for (const name of PAGES) {
    for (const colorScheme of ["light", "dark"]) {
      for (const width of [320, 1280]) {
        const page = await open(name, { width, colorScheme });
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
        const violations = await page.evaluate(`${axe}; axe.run().then((result) => result.violations.map((v) => v.id + " " + v.nodes.map((n) => n.html).join(" ").slice(0, 300)))`);
        assert.deepEqual(violations, [], `${name} ${colorScheme} ${width}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(overflow <= 0, `${name} ${width} wide: ${overflow} beyond the edge`);
        await page.context().close();
      }
    }
  }
});

test("the keyboard reaches every link, every fold and every line that is wider than the page", async () => {
  const page = await open("blocked.html", { width: 320 });
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll("a, summary, [tabindex='0']")];
    all.forEach((element, at) => element.setAttribute("data-stop", String(at)));
    return all.length;
  });
  const reached = new Set();
  for (let press = 0; press < wanted + 5; press += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => document.activeElement.getAttribute("data-stop"));
    if (stop !== null) reached.add(stop);
  }
  assert.equal(reached.size, wanted);
  const hidden = await page.evaluate(() => [...document.querySelectorAll("*")].filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === "auto" && element.tabIndex < 0).length);
  assert.equal(hidden, 0, "something moves sideways and cannot be reached");
  const unseen = await page.evaluate(() => [...document.querySelectorAll("mark")].filter((mark) => {
    const [place, line] = [mark.getBoundingClientRect(), mark.closest(".scrolling").getBoundingClientRect()];
    return place.left < line.left || place.left > line.right;
  }).length);
  assert.equal(unseen, 0, "what is marked in a line is outside of what is seen of it");
  await page.focus("summary");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.querySelector("details").open), true);
  await page.context().close();
});

test("to a screen reader it is headings, tables and named regions", async () => {
  const page = await open("blocked.html");
  assert.equal(await page.locator("h1").count(), 1);
  for (const name of ["Gates", "Permissions", "Hosts", "Blockers", "Files by size"]) {
    assert.equal(await page.getByRole("table", { name }).count(), 1, name);
  }
  const section = page.getByRole("region", { name: "What it asks for, and what its code does" });
  assert.equal(await section.getByRole("row", { name: /clipboard\.read .* used, not declared/ }).count(), 1);
  assert.equal(await page.getByRole("img", { name: /^The seven artifacts and what each was derived from: submission from the package/ }).count(), 1);
  assert.equal(await page.getByRole("img", { name: /six cards/ }).count(), 1);
  // A narrow page lays tables out as blocks; they stay tables.
  await page.setViewportSize({ width: 320, height: 900 });
  assert.equal(await page.getByRole("table", { name: "Gates" }).getByRole("row").count(), 7);
  await page.context().close();
});

test("the page says what verify, inspect and diff say", async () => {
  const page = await open("blocked.html");
  const text = (await page.locator("body").innerText()).replace(/\s+/g, " ");
  const says = (words) => assert.ok(text.includes(words), `no “${words}” on the page`);
  const { folder } = pages;
  const checked = runSvc(folder, "app", "verify", "blocked-bundle");
  says(`Stage: ${/^Stage +(.*?) {2}/m.exec(checked)[1]}.`);
  says(/^Artifact +(.*)$/m.exec(checked)[1]);
  says("accepted no, signed no, installable no");
  for (const [, digest] of checked.matchAll(/^valid .* (sha256:[0-9a-f]{64})$/gm)) {
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    assert.ok((await page.locator("#chain").innerText()).includes(digest), digest);
  }
  const shown = runSvc(folder, "app", "inspect", "blocked-bundle/svc-registry-submission.json");
  for (const [, severity, code, message] of shown.matchAll(/^Finding +(\S+) (\S+) \S*: (.*)$/gm)) says(`${severity} ${code} ${message.replaceAll("`", "")}`);
  for (const [, gate, word] of shown.matchAll(/^Gate +(\S+) +(\S+)$/gm)) says(`${gate} ${word}`);
  for (const [, what] of shown.matchAll(/^Blocker .*?: (.*)$/gm)) says(what.replaceAll("`", ""));
  for (const [, name] of shown.matchAll(/^! (\S+(?: \(.*?\))?) +no /gm)) assert.match(text, new RegExp(`${name.replace(/[.()]/g, "\\$&")} .{0,20}used, not declared`));
  const compared = runSvc(folder, "app", "diff", "plain-bundle", "blocked-bundle");
  for (const [, what, name] of compared.matchAll(/^\+ (\S+) (\S+)/gm)) says(`added ${what} ${name}`);
  for (const [, what, name] of compared.matchAll(/^~ (\S+) (\S+)/gm)) says(`changed ${what} ${name}`);
  await page.context().close();
});

test("without its files the page says so, and shows no picture and no line", async () => {
  const page = await open("without-files.html");
  assert.equal(await page.locator("img, mark").count(), 0);
  assert.match(await page.locator(".banner").innerText(), /Files were not looked at/);
  assert.match(await page.locator("#not-looked-at").innerText(), /The files of the package\. They were not looked at/);
  await page.context().close();
});

test("without its script the page says what it needs, and that the outcome is no", async () => {
  const page = await open("plain.html", { javaScriptEnabled: false });
  const text = await page.locator("body").innerText();
  assert.match(text, /accepted no, signed no, installable no/);
  assert.match(text, /needs its own script/);
  assert.ok(!text.includes('"accepted"'), "the model is not shown as text");
  await page.context().close();
});

test("on paper everything is unfolded and nothing is dark", async () => {
  const page = await open("blocked.html", { colorScheme: "dark" });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.evaluate(() => document.querySelectorAll("details:not([open])").length), 0);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  await page.setViewportSize({ width: 640, height: 900 });
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("table")).display), "table", "paper is no narrow screen");
  assert.ok((await page.pdf()).length > 10_000);
  await page.context().close();
});

test("served by a server it asks for nothing else either", async () => {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(pages.text("plain.html"));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const address = `http://127.0.0.1:${server.address().port}/report.html`;
  const page = await open("plain.html", { address });
  await page.waitForSelector("footer");
  await page.context().close();
  await new Promise((closed) => server.close(closed));
  assert.deepEqual(asked, ["/report.html"]);
});

test("no request left any page, and the browser complained about nothing", () => {
  assert.deepEqual(strangers, []);
  assert.deepEqual(complaints, []);
});
