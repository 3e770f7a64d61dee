// Nothing that comes from elsewhere becomes more than text, and nothing leaves the page.

import assert from "node:assert/strict";
import { cpSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { repository } from "./bundles.mjs";
import { asJson, expectQuiet, give, JOURNAL, lied, startEverything, words } from "./console-pages.mjs";
import { runSvc } from "./pages.mjs";

let all;
before(async () => {
  all = await startEverything();
});
after(() => all?.stop());

const NAUGHTY = [
  "</script><img src=x onerror=alert(1)>",
  "<!--<script>alert(1)</script>",
  '"><svg onload=alert(1)><iframe srcdoc=x>',
  "javascript:alert(1)",
  "${alert(1)}{{7*7}}`x`",
  "__proto__",
  "&lt;img src=x&gt;&#x3c;b&#x3e;",
  "\u202eevil\u2066 \u200b \ud83d\ude80",
  "x".repeat(20_000),
];

/** What no document may hold: an answer with it is refused as a whole. */
const HIDDEN = /[\u200b\u202e\u2066]/;

const elements = (page) =>
  page.evaluate(() => {
    const counts = {};
    // Names between backticks in sentences are the only elements that a text decides on.
    for (const { localName } of document.querySelectorAll("*:not(code, wbr)")) counts[localName] = (counts[localName] ?? 0) + 1;
    return counts;
  });

/** Counts elements with each text in every place that a lie puts it, beside a plain text in the same places. */
async function expectOnlyText(path, lieWith, { from = all.web, texts = NAUGHTY, ready = () => {} } = {}) {
  let expected;
  for (const text of ["plain", ...texts]) {
    await lied(all, 
      path,
      lieWith(text),
      async (page) => {
        await ready(page, text);
        const found = await elements(page);
        expected ??= found;
        assert.deepEqual(found, expected, `${path}: ${text.slice(0, 60)}`);
        assert.deepEqual(await page.evaluate(() => globalThis.violations), [], text.slice(0, 60));
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(overflow <= 0, `${path} ${text.slice(0, 60)}: ${overflow} beyond the edge`);
      },
      from,
    );
  }
}

test("a naughty text in what the registry answers creates no element", async () => {
  const problem = JSON.parse(readFileSync(join(repository, "contracts/openapi.json"), "utf8"));
  const example = Object.values(problem.components.examples).map(({ value }) => value).find((value) => value?.code === "not-found" && value?.instance !== undefined);
  assert.ok(example !== undefined);
  await expectOnlyText("/console/decisions", (text) => (url) => (url.startsWith(JOURNAL) ? asJson({ ...example, detail: text, title: text, requestId: "x" }, 404, "application/problem+json") : undefined));
  const ledgerWith = (text) => async (url, honest) => {
    if (!url.endsWith("/readiness")) return undefined;
    const ledger = JSON.parse((await honest()).body);
    return asJson({ ...ledger, gates: ledger.gates.map((gate) => ({ ...gate, evidence: text, missing: text, clearedBy: text, shownBy: [text] })) });
  };
  await expectOnlyText("/console/gates", ledgerWith, { texts: NAUGHTY.filter((text) => !HIDDEN.test(text)) });
  await lied(all, "/console/gates", ledgerWith(NAUGHTY.find((text) => HIDDEN.test(text))), async (page) => assert.match(await words(page, "#same"), /The answer is not strict JSON/));
});

test("a naughty text in a record or beside it creates no element", async () => {
  const ready = async (page, text) => {
    await page.locator(".records summary").first().click();
    // What is behind a record is made when it is opened, which the browser tells a moment later.
    await page.waitForFunction((wanted) => document.querySelector(".records").textContent.includes(wanted), `token ${text.slice(0, 60)}`);
  };
  await expectOnlyText(
    "/console/decisions",
    (text) => async (url, honest) => {
      if (!url.startsWith(`${JOURNAL}entries`)) return undefined;
      const told = JSON.parse((await honest()).body);
      return asJson({ ...told, entries: told.entries.map((entry) => ({ ...entry, attribution: { proven: false, token: text.slice(0, 60) } })) });
    },
    { ready, texts: NAUGHTY.filter((text) => text.length < 1000 && !HIDDEN.test(text)) },
  );
});

test("a naughty text in the metrics creates no element", async () => {
  const escaped = (text) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  const metrics = (text) =>
    [
      `svc_build_info{version="${escaped(text)}",commit="${escaped(text)}"} 1`,
      "svc_ready 1",
      "svc_journal_size_records 40",
      `svc_answers_total{operation="${escaped(text)}",status="200"} 3`,
      `svc_token_end_seconds{token="${escaped(text)}"} 1900000000`,
      `svc_witness_alarm{witness="${escaped(text)}"} 1`,
      `svc_events_behind_records{endpoint="${escaped(text)}"} 3`,
      `svc_events_state{endpoint="${escaped(text)}",state="${escaped(text)}"} 1`,
    ].join("\n");
  await expectOnlyText("/console/service", (text) => (url) => (url === "/metrics" ? { headers: { "content-type": "text/plain" }, body: metrics(text) } : undefined), { from: all.admin });
});

test("a naughty text in a bundle and in the name of its folder creates no element", async () => {
  const { folder } = all.work;
  let expected;
  for (const [at, text] of ["plain text of a plain package", ...NAUGHTY.filter((text) => text.length < 120 && !HIDDEN.test(text))].entries()) {
    cpSync(join(repository, "examples/weather-board"), join(folder, `naughty-${at}`), { recursive: true });
    const path = join(folder, `naughty-${at}/svc-app.json`);
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    manifest.summary = text;
    manifest.permissions[0].purpose = `Reads forecasts: ${text}`;
    manifest.network.purpose = `Forecasts: ${text}`;
    writeFileSync(path, JSON.stringify(manifest));
    runSvc(folder, "app", "preflight", `naughty-${at}`, "--out-dir", `naughty-${at}-bundle`);
    const named = join(folder, at === 0 ? "a plain folder" : `<img src=x onerror=alert(${at})>`);
    renameSync(join(folder, `naughty-${at}-bundle`), named);
    const page = await all.open("/console/", { width: 320 });
    await give(page, named);
    const found = await elements(page);
    expected ??= found;
    // Another text may be a finding more or less; nothing that is no part of a finding may differ.
    for (const name of ["img", "script", "iframe", "svg", "a", "h1", "h2", "table", "input", "button", "section"]) if (name !== "a") assert.equal(found[name], expected[name], `${name}: ${text}`);
    assert.equal(found.img, undefined);
    assert.ok((await words(page)).includes(text.replace(/\s+/g, " ")), text);
    assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
    await page.context().close();
  }
});

test("the policy holds: nothing runs or is made of text, and nothing else is asked", async () => {
  const page = await all.open("/console/");
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
      cookie: document.cookie,
    };
  });
  assert.deepEqual(tried, { markup: "TypeError", policy: "TypeError", request: "TypeError", cookie: "" });
  await page.context().close();
  const own = (text) => /evil\.example|TrustedHTML|TrustedTypePolicy|Fetch API/.test(text);
  all.complaints.splice(0, all.complaints.length, ...all.complaints.filter((text) => !own(text)));
  all.strangers.splice(0, all.strangers.length, ...all.strangers.filter((address) => !address.startsWith("https://evil.example/")));
});

test("no request left any page for elsewhere, and the browser complained about nothing", () => expectQuiet(all));
