// The console in Chromium: nothing that comes from elsewhere becomes more than text, nothing that does not hold is shown as
// proven, nothing leaves the page, and everybody can use it.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { described, repository, verdictOf, writeBundle } from "./bundles.mjs";
import { give, settled, startEverything, views } from "./console-pages.mjs";
import { canonical, checkpointEvent, eventOf, evaluate, startConsole, startService } from "./console-server.mjs";
import { axe, runSvc } from "./pages.mjs";

const SCREENSHOTS = process.env.SVC_SCREENSHOTS ?? join(repository, "target/console-screenshots");
const JOURNAL = "/api/sdk/registry/journal/";

let all;
before(async () => {
  all = await startEverything();
  mkdirSync(SCREENSHOTS, { recursive: true });
});
after(() => all?.stop());

const words = async (page, selector = "main") => (await page.locator(selector).innerText()).replace(/\s+/g, " ");
const asJson = (body, status = 200, type = "application/json") => ({ status, headers: { "content-type": type }, body: JSON.stringify(body) });

/** A page while the server lies. */
async function lied(path, lie, look, from = all.web) {
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
    for (const { localName } of document.querySelectorAll("*:not(code)")) counts[localName] = (counts[localName] ?? 0) + 1;
    return counts;
  });

/** Counts elements with each text in every place that a lie puts it, beside a plain text in the same places. */
async function expectOnlyText(path, lieWith, { from = all.web, texts = NAUGHTY, ready = () => {} } = {}) {
  let expected;
  for (const text of ["plain", ...texts]) {
    await lied(
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
  await lied("/console/gates", ledgerWith(NAUGHTY.find((text) => HIDDEN.test(text))), async (page) => assert.match(await words(page, "#same"), /the answer is not strict JSON/));
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

test("a log that lies is never shown as proven", async () => {
  const isRefused = (why) => async (page) => {
    await page.waitForSelector(".alarm, .doubt");
    assert.match(await words(page), why);
    assert.equal(await page.locator(".records .good").count(), 0);
  };
  const bent = (change) => async (url, honest) => {
    if (!url.startsWith(`${JOURNAL}entries`)) return undefined;
    const told = JSON.parse((await honest()).body);
    return asJson(change(told));
  };
  const first = (change) => (told) => ({ ...told, entries: told.entries.map((entry, at) => (at === 0 ? { ...entry, record: change(entry.record) } : entry)) });
  await lied("/console/decisions", bent(first((record) => ({ ...record, time: "2020-01-01T00:00:00.000Z" }))), isRefused(/This does not hold\. the records are not those of the signed state/));
  await lied("/console/decisions", bent(first((record) => ({ ...record, accepted: true }))), isRefused(/This does not hold\. .*(open|fail-open)/));
  await lied("/console/decisions", bent((told) => ({ ...told, entries: told.entries.slice(1, -1) })), isRefused(/not those that were asked for/));
  const other = await startService("--journal-origin", "registry.example/journal");
  try {
    await evaluate(other, "/indexes/validate", readFileSync(join(repository, "conformance/index/valid/document.json")));
    const keys = await (await fetch(`${other.address}${JOURNAL}keys`)).text();
    await lied("/console/decisions", (url) => (url === `${JOURNAL}keys` ? { headers: { "content-type": "text/plain" }, body: keys } : undefined), isRefused(/This does not hold\. the checkpoint is not one of this log: unknown-key/));
    await lied("/console/log", (url) => (url === `${JOURNAL}keys` ? { headers: { "content-type": "text/plain" }, body: keys } : undefined), async (page) => assert.match(await words(page), /This does not hold\./));
  } finally {
    await other.stop();
  }
});

test("a stream that lies is left, and says so", async () => {
  const note = async () => (await fetch(`${all.service.address}${JOURNAL}checkpoint`)).text();
  const { entries } = await (await fetch(`${all.service.address}${JOURNAL}entries?limit=1`)).json();
  // The state of a receipt is smaller than the newest as soon as another document was sent.
  const older = (await all.send(0)).body.receipt.checkpoint;
  await all.send(0);
  const size = Number((await note()).split("\n")[1]);
  const forged = { ...entries[0].record, sequence: size };
  const streams = [
    [eventOf(forged) + checkpointEvent(await note()), /waits for a signed state/],
    [checkpointEvent(older), /the log has \d+ records, and had \d+ \(log-shrank\)/],
    [eventOf({ ...forged, sequence: size + 1 }), /\(follow-gap\)/],
    [eventOf({ ...forged, accepted: true }), /\(fail-open\)/],
    [eventOf(forged).replace("registry.decision.denied", "registry.digest.mismatch"), /\(record-other-type\)/],
    [`id: ${size}\nevent: registry.decision.denied\ndata: ${canonical(forged).replace(":", ": ")}\n\n`, /\(record-not-canonical\)/],
    ["other: 1\n\n", /\(stream-unknown-field\)/],
  ];
  for (const [text, why] of streams) {
    await lied(
      "/console/decisions",
      (url) => (url.startsWith(`${JOURNAL}stream`) ? { headers: { "content-type": "text/event-stream" }, body: text } : undefined),
      async (page) => {
        await page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector("main").textContent), why.source);
        assert.equal(await page.locator(".records > li").filter({ has: page.locator(`.place:text-is("${size}")`) }).filter({ has: page.locator(".good") }).count(), 0);
      },
    );
  }
  const ahead = await fetch(`${all.service.address}${JOURNAL}stream?after=999999`);
  assert.equal(ahead.status, 409);
  const body = await ahead.text();
  await lied("/console/decisions", (url) => (url.startsWith(`${JOURNAL}stream`) ? { status: 409, headers: { "content-type": "application/problem+json" }, body } : undefined), async (page) => {
    await page.waitForSelector(".alarm");
    assert.match(await words(page), /the log is shorter than what was seen of it/);
  });
});

test("a new decision comes by the stream, is proven, and a screen reader is told", async () => {
  const page = await all.open("/console/decisions");
  await settled(page);
  const before = await page.locator(".records > li").count();
  await page.getByRole("button", { name: "Stop following" }).focus();
  await all.send(2);
  await page.waitForFunction((count) => document.querySelectorAll(".records > li").length === count + 1, before);
  await page.waitForFunction(() => document.querySelector(".records > li .state").textContent === "proven");
  assert.match(await words(page, ".records > li:first-child"), /refused evaluate-acceptance-request posture-violation/);
  await page.waitForFunction(() => /A new decision: \d+, evaluate-acceptance-request, refused\./.test(document.querySelector("[role=status].live:not(:empty)")?.textContent ?? ""));
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Stop following", "whoever is somewhere stays there");
  await page.keyboard.press("Enter");
  await all.send(0);
  await page.waitForFunction((count) => document.querySelectorAll(".records > li").length === count + 2, before);
  assert.equal(await page.locator(".records > li:visible").count(), before + 1);
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".records > li:visible").count(), before + 2);
  await page.context().close();
});

test("filters show what was asked for", async () => {
  const page = await all.open("/console/decisions");
  await settled(page);
  await page.selectOption("#filter-outcome", "refused");
  const refused = await page.locator(".records > li:visible").count();
  assert.ok(refused >= 3 && refused < (await page.locator(".records > li").count()));
  await page.selectOption("#filter-problem", "digest-mismatch");
  assert.equal(await page.locator(".records > li:visible").count(), 1);
  await page.selectOption("#filter-type", "registry.posture.violation");
  assert.equal(await page.locator(".records > li:visible").count(), 0);
  await page.context().close();
});

test("older decisions are read page by page, each proven", async () => {
  const service = await startService("--journal-origin", "registry.example/long");
  const web = await startConsole(service);
  try {
    const document = readFileSync(join(repository, "conformance/install-policy/valid/document.json"));
    for (let at = 0; at < 300; at += 10) await Promise.all(Array.from({ length: 10 }, () => evaluate(service, "/install-policy", document)));
    const page = await all.open("/console/decisions", { from: web });
    await settled(page);
    assert.equal(await page.locator(".records > li").count(), 50);
    await page.getByRole("button", { name: "Older decisions" }).press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".records > li").length === 100);
    assert.equal(await page.locator(".records .state.good").count(), 100);
    const log = await all.open("/console/log", { from: web, context: page.context() });
    await settled(log);
    assert.match(await words(log), /300 records/);
    assert.equal(await log.getByRole("img", { name: /level 0 has 1 full and one of 44 hashes that grows; level 1 has 0 full and one of 1 hashes/ }).count(), 1);
    await page.context().close();
  } finally {
    await web.stop();
    await service.stop();
  }
});

test("the log is held against what this browser saw last, and nothing else is kept", async () => {
  const [service, other] = [await startService("--journal-origin", "registry.example/seen"), undefined];
  const web = await startConsole(service);
  try {
    const document = readFileSync(join(repository, "conformance/install-policy/valid/document.json"));
    await evaluate(service, "/install-policy", document);
    const page = await all.open("/console/log", { from: web });
    await settled(page);
    assert.match(await words(page, "#seen"), /Nothing was seen before.*kept in this browser's storage, and nothing else is/);
    await evaluate(service, "/install-policy", document);
    await page.reload();
    await settled(page);
    assert.match(await words(page, "#seen"), /grown from 1 to 2 records, and the first 1 are the same/);
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), ["svc-console-checkpoint"]);
    // The same browser, and a log that went back.
    const old = await page.evaluate(() => localStorage.getItem("svc-console-checkpoint"));
    web.lie(async (url, honest) => (url === `${JOURNAL}checkpoint` ? { headers: { "content-type": "text/plain" }, body: first } : undefined));
    const { receipt } = (await evaluate(service, "/install-policy", document)).body;
    const first = (await evaluate(service, "/install-policy", document)).body.receipt.checkpoint;
    await page.reload();
    await settled(page);
    assert.match(await words(page, "#seen"), /grown from 2 to 4/);
    web.beHonest();
    web.lie((url) => (url === `${JOURNAL}checkpoint` ? { headers: { "content-type": "text/plain" }, body: receipt.checkpoint } : undefined));
    await page.reload();
    await settled(page);
    assert.match(await words(page, "#seen"), /This does not hold\. the log has 3 records, and had 4/);
    assert.notEqual(await page.evaluate(() => localStorage.getItem("svc-console-checkpoint")), old);
    assert.match(await page.evaluate(() => localStorage.getItem("svc-console-checkpoint").split("\n")[1]), /^4$/, "the evidence stays");
    await page.getByRole("button", { name: "Forget it" }).click();
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
    await page.context().close();
  } finally {
    await web.stop();
    await service.stop();
    await other?.stop();
  }
});

test("a token is used from memory alone", async () => {
  const { folder } = all.work;
  const token = runSvc(folder, "token", "create", "reader", "--scope", "read", "--file", join(folder, "tokens.json")).trim();
  assert.match(token, /^svcr_\S{20,}$/);
  const service = await startService("--tokens", join(folder, "tokens.json"));
  const web = await startConsole(service);
  try {
    const page = await all.open("/console/gates", { from: web });
    await settled(page);
    assert.match(await words(page), /0 of three documents/);
    await page.getByText("Token and keys", { exact: true }).click();
    await page.fill("#token", "no token\u0001");
    await page.press("#token", "Enter");
    assert.match(await words(page, ".session-fold"), /characters that no token has/);
    await page.fill("#token", token);
    await page.press("#token", "Enter");
    await page.waitForFunction(() => document.querySelector("#same .good") !== null);
    await page.getByRole("link", { name: "Log" }).click();
    await settled(page);
    assert.match(await words(page), /no signed state yet|0 records/, "the token goes from page to page");
    assert.ok(!web.state.asked.some(({ url }) => url.includes(token)), "it is in no address");
    assert.ok(web.state.asked.some(({ headers }) => headers.authorization === `Bearer ${token}`));
    assert.ok(web.state.asked.every(({ headers }) => headers.cookie === undefined && headers.referer === undefined));
    const kept = await page.evaluate(() => JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, history.state]));
    assert.ok(!kept.includes(token));
    await page.reload();
    await settled(page);
    assert.match(await words(page), /401 unauthenticated/);
    await page.context().close();
  } finally {
    await web.stop();
    await service.stop();
  }
});

test("keys from elsewhere are used, and a key of another log proves nothing", async () => {
  const page = await all.open("/console/log");
  await settled(page);
  assert.match(await words(page), /keys that this same server served/);
  await page.getByText("Token and keys", { exact: true }).click();
  const own = readFileSync(join(all.service.data, "journal.pub"), "utf8");
  await page.fill("#keys", own);
  await page.getByRole("button", { name: "Use these" }).click();
  await page.waitForFunction(() => document.querySelector("main").textContent.includes("with the keys that you gave"));
  await page.fill("#keys", "x+1+y");
  await page.getByRole("button", { name: "Use these" }).click();
  assert.match(await words(page, ".session-fold"), /not public keys of one log/);
  await page.context().close();
});

test("witnesses are listed with their age, and count only by the policy that the reader gave", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
  const typed = Buffer.concat([Buffer.of(4), publicKey.export({ format: "der", type: "spki" }).subarray(-32)]);
  const id = sha256(Buffer.from("witness.example\n"), typed).subarray(0, 4);
  const policy = `witness w1 witness.example+${id.toString("hex")}+${typed.toString("base64")}\nquorum w1\n`;
  const time = Math.floor(Date.now() / 1000) - 7_300;
  const cosigned = (note, bend = 0) => {
    const stamp = Buffer.alloc(8);
    stamp.writeBigUInt64BE(BigInt(time));
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time + bend}\n${note.slice(0, note.indexOf("\n\n") + 1)}`), privateKey);
    return `${note}\u2014 witness.example ${Buffer.concat([id, stamp, signature]).toString("base64")}\n`;
  };
  for (const [bend, why] of [[0, /Your policy holds: w1\./], [1, /Your policy does not hold for this state: cosignature-wrong/]]) {
    all.web.lie(async (url, honest) => (/checkpoint$/.test(url) ? { headers: { "content-type": "text/plain" }, body: cosigned((await honest(`${JOURNAL}checkpoint`)).body.toString(), bend) } : undefined));
    const page = await all.open("/console/log");
    await settled(page);
    assert.match(await words(page, "#signatures"), /witness\.example [0-9a-f]{8} a witness 2 hours ago not checked: no policy was given/);
    await page.getByText("Token and keys", { exact: true }).click();
    await page.fill("#policy", policy);
    await page.getByRole("button", { name: "Use these" }).click();
    await page.waitForFunction(() => document.querySelector("#signatures")?.textContent.includes("Your policy"));
    assert.match(await words(page, "#signatures"), why);
    all.web.beHonest();
    await page.context().close();
  }
});

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
      bad: document.querySelectorAll("#chain .wide .box:not(.holds)").length,
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

test("a ledger that differs is told", async () => {
  const bend = (change) => async (url, honest) => (url.endsWith("/registry/readiness") ? asJson(change(JSON.parse((await honest()).body))) : undefined);
  await lied("/console/gates", bend((ledger) => ({ ...ledger, gates: ledger.gates.map((gate) => (gate.gate === "artifact-signing" ? { ...gate, clearedBy: "anybody" } : gate)) })), async (page) => assert.match(await words(page, "#same"), /ledger of this server is another one/));
  await lied("/console/gates", bend((ledger) => ({ ...ledger, gates: ledger.gates.map((gate) => (gate.gate === "artifact-signing" ? { ...gate, status: "signed" } : gate)) })), async (page) => assert.match(await words(page, "#same"), /This does not hold\..*fail-open/));
});

test("the keyboard alone reaches and uses every page", async () => {
  await byKeyboard(await all.open("/console/", { width: 320 }), ["Decisions", "Log", "Gates", "Inspector"]);
  await byKeyboard(await all.open("/console/service", { width: 320, from: all.admin }), ["Service"]);
});

async function byKeyboard(page, names) {
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "To the content");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
  assert.deepEqual((await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allInnerTexts()).filter((name) => PAGES.includes(name)).sort(), [...names].sort(), "the pages of this address and no others");
  for (const name of names) {
    await page.getByRole("link", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((name) => document.title.startsWith(name), name);
    await settled(page);
    assert.equal(await page.evaluate(() => document.activeElement.localName), "h1", "whoever moves is put at the heading");
    assert.equal(await page.locator("[aria-current=page]").innerText(), name);
    const wanted = await page.evaluate(() => {
      const stops = [...document.querySelectorAll("a[href], button:not(:disabled), input, select, textarea, summary, [tabindex='0']")].filter((element) => element.checkVisibility());
      stops.forEach((element, at) => element.setAttribute("data-stop", String(at)));
      document.activeElement.blur();
      return stops.length;
    });
    const reached = new Set();
    for (let press = 0; press < wanted + 12; press += 1) {
      await page.keyboard.press("Tab");
      const stop = await page.evaluate(() => {
        const at = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        return [at.getAttribute("data-stop"), at.matches(":focus-visible") && outlineStyle !== "none" && parseFloat(outlineWidth) >= 1];
      });
      if (stop[0] !== null) {
        reached.add(stop[0]);
        assert.ok(stop[1], `${name}: a focus that nobody sees`);
      }
    }
    assert.equal(reached.size, wanted, `${name}: some stops are not reached, or one keeps the keyboard`);
  }
  if (names.length > 1) {
    await page.goBack();
    await page.waitForFunction((name) => document.title.startsWith(name), names.at(-2));
  }
  await page.context().close();
}

const PAGES = ["Inspector", "Decisions", "Log", "Gates", "Service"];

test("a record is opened and its proof checked by keys alone", async () => {
  const page = await all.open("/console/decisions");
  await settled(page);
  await page.locator(".records summary").nth(1).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Check its proof" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".proof .good");
  const text = await words(page, ".records");
  assert.match(text, /c2sp\.org\/tlog-proof@v1/);
  assert.match(text, /curl -sS -H "authorization: Bearer \$SVC_TOKEN" 'http:/);
  await page.context().close();
});

test("to a screen reader it is landmarks, headings, tables and named pictures", async () => {
  const page = await all.open("/console/");
  await give(page, all.bundles.broken);
  for (const [role, name] of [["complementary", "Outcome"], ["navigation", "Pages"], ["navigation", "Sections"]]) assert.equal(await page.getByRole(role, { name }).count(), 1, name);
  for (const role of ["banner", "main", "contentinfo"]) assert.equal(await page.getByRole(role).count(), 1, role);
  assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
  assert.equal(await page.getByRole("img", { name: /acceptance-request from submission, the edge is broken/ }).count(), 1);
  assert.equal(await words(page, ".closed"), "CLOSED Missing gates: publisher-verification, review-storage, artifact-signing, host-install-policy, renderer-isolation. Nothing here can be installed.");
  await page.context().close();
  const gates = await all.open("/console/gates", { width: 320 });
  await settled(gates);
  assert.equal(await gates.getByRole("table", { name: "Gates in three places" }).getByRole("row").count(), 7);
  assert.match(await words(gates, "#same"), /All three say the same/);
  assert.equal(await gates.locator("#five-stages .out-of-reach").count(), 1);
  assert.match(await gates.locator("#five-stages .out-of-reach").evaluate((element) => getComputedStyle(element).backgroundImage), /repeating-linear-gradient/);
  await gates.context().close();
});

test("the service is read at its admin address, and elsewhere there is no such page", async () => {
  const page = await all.open("/console/service", { from: all.admin });
  await settled(page);
  await page.waitForFunction(() => !document.querySelector("#answers").textContent.includes("…"), undefined, { timeout: 20_000 });
  const text = await words(page);
  assert.match(text, /Ready yes/);
  assert.match(text, /Free disk \d+\.\d [MGT]iB/);
  assert.match(text, /Records \d+ Growth \d+\.\d a second/);
  await page.context().close();
  for (const [web, path] of [[all.web, "/console/service"], [all.admin, "/console/log"]]) {
    const reply = await fetch(web.address + path, { headers: { accept: "text/html" } });
    assert.deepEqual([reply.status, reply.headers.get("content-type")], [404, "text/html; charset=utf-8"], path);
    assert.match(reply.headers.get("content-security-policy"), /default-src 'none'/);
  }
});

test("without its script the console says what it needs, and that it is closed", async () => {
  const page = await all.open("/console/log", { javaScriptEnabled: false });
  const text = (await page.locator("body").innerText()).replace(/\s+/g, " ");
  assert.match(text, /CLOSED Missing gates: /);
  assert.ok(text.includes("Nothing here can be installed."));
  assert.match(text, /needs its own script/);
  await page.context().close();
});

test("every page is accessible in both schemes, wide and narrow, moves nothing, and is kept as a picture", async () => {
  for (const { name, path, act, from } of views(all)) {
    for (const colorScheme of ["light", "dark"]) {
      for (const width of [320, 1280]) {
        const page = await all.open(path, { width, colorScheme, from, reducedMotion: "reduce" });
        await settled(page);
        await act?.(page);
        await settled(page);
        await page.evaluate(() => scrollTo(0, 0));
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
        await settled(page);
        const violations = await page.evaluate(`${axe}; axe.run().then((result) => result.violations.map((v) => v.id + " " + v.nodes.map((n) => n.html).join(" ").slice(0, 300)))`);
        assert.deepEqual(violations, [], `${name} ${colorScheme} ${width}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(overflow <= 0, `${name} ${width} wide: ${overflow} beyond the edge`);
        assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
        assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
        await page.context().close();
      }
    }
  }
});

test("no request left any page for elsewhere, and the browser complained about nothing", () => {
  assert.deepEqual(all.strangers, []);
  assert.deepEqual(all.complaints, []);
});
