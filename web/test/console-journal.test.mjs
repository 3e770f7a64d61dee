// Decisions and the log: nothing that does not hold is shown as proven, and what was seen is not forgotten.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { repository } from "./bundles.mjs";
import { asJson, expectQuiet, JOURNAL, lied, settled, startEverything, startLog, words } from "./console-pages.mjs";
import { canonical, checkpointEvent, evaluate, eventOf, startConsole, startService } from "./console-server.mjs";

let all;
before(async () => {
  all = await startEverything();
});
after(() => all?.stop());

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
  await lied(all, "/console/decisions", bent(first((record) => ({ ...record, time: "2020-01-01T00:00:00.000Z" }))), isRefused(/This does not hold\. The records are not those of the signed state/));
  await lied(all, "/console/decisions", bent(first((record) => ({ ...record, accepted: true }))), isRefused(/This does not hold\. .*(open|fail-open)/));
  await lied(all, "/console/decisions", bent((told) => ({ ...told, entries: told.entries.slice(1, -1) })), isRefused(/not those that were asked for/));
  const other = await startService("--journal-origin", "registry.example/journal");
  try {
    await evaluate(other, "/indexes/validate", readFileSync(join(repository, "conformance/documents/index.json")));
    const keys = await (await fetch(`${other.address}${JOURNAL}keys`)).text();
    await lied(all, "/console/decisions", (url) => (url === `${JOURNAL}keys` ? { headers: { "content-type": "text/plain" }, body: keys } : undefined), isRefused(/This does not hold\. The checkpoint is not one of this log: unknown-key/));
    await lied(all, "/console/log", (url) => (url === `${JOURNAL}keys` ? { headers: { "content-type": "text/plain" }, body: keys } : undefined), async (page) => assert.match(await words(page), /This does not hold\./));
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
    [checkpointEvent(older), /The log has \d+ records, and had \d+ \(log-shrank\)/],
    [eventOf({ ...forged, sequence: size + 1 }), /\(follow-gap\)/],
    [eventOf({ ...forged, accepted: true }), /\(fail-open\)/],
    [eventOf(forged).replace("registry.decision.denied", "registry.digest.mismatch"), /\(record-other-type\)/],
    [`id: ${size}\nevent: registry.decision.denied\ndata: ${canonical(forged).replace(":", ": ")}\n\n`, /\(record-not-canonical\)/],
    ["other: 1\n\n", /\(stream-unknown-field\)/],
  ];
  for (const [text, why] of streams) {
    await lied(all, 
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
  await lied(all, "/console/decisions", (url) => (url.startsWith(`${JOURNAL}stream`) ? { status: 409, headers: { "content-type": "application/problem+json" }, body } : undefined), async (page) => {
    await page.waitForSelector(".alarm");
    assert.match(await words(page), /The log is shorter than what was seen of it/i);
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
    const document = readFileSync(join(repository, "conformance/documents/install-policy.json"));
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

test("the log is held against what this browser saw last, and nothing else is kept", async () => {
  const [service, other] = [await startService("--journal-origin", "registry.example/seen"), undefined];
  const web = await startConsole(service);
  try {
    const document = readFileSync(join(repository, "conformance/documents/install-policy.json"));
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
    assert.match(await words(page, "[role=alert]"), /This does not hold\. The log has 3 records, and had 4/);
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

test("the log is read again, says when, and an alarm comes without a reload and stays", async () => {
  const { web, notes, send, stop, lieBack } = await startLog("registry.example/again", 2);
  try {
    const page = await all.open("/console/log", { from: web, clock: true });
    await settled(page);
    assert.match(await words(page, ".read"), /Read at \d\d:\d\d:\d\d UTC\. It is read again every 15 seconds/);
    assert.match(await words(page, "#size"), /the newest 2 records came within .*: too short a time to tell a pace/);
    await page.locator("#tiles summary").click();
    await send();
    await page.clock.runFor(16_000);
    await page.waitForFunction(() => document.querySelector("#size h2").textContent === "3 records");
    assert.equal(await page.locator("#tiles details[open]").count(), 1, "what was open stays open");
    web.lie(() => ({ status: 503, body: "" }));
    await page.clock.runFor(16_000);
    await page.waitForFunction(() => document.querySelector(".read").textContent.includes("What stands below was read at"));
    web.beHonest();
    lieBack(notes[1]);
    await page.clock.runFor(16_000);
    await page.waitForSelector("[role=alert]");
    assert.match(await words(page, "[role=alert]"), /This does not hold\. The log has 2 records, and had 3 \(log-shrank\)/);
    assert.match(await words(page, ".read"), /Nothing more is read/);
    web.beHonest();
    const asked = web.state.asked.length;
    await page.clock.runFor(40_000);
    assert.equal(web.state.asked.length, asked);
    assert.equal(await page.locator("[role=alert]").count(), 1);
    await page.context().close();
  } finally {
    await stop();
  }
});

test("decisions of a log that is not the one this browser saw are not shown, also after a reload, and the evidence can be saved", async () => {
  const { web, notes, stop, lieBack } = await startLog("registry.example/fork", 3);
  try {
    const page = await all.open("/console/decisions", { from: web });
    await settled(page);
    assert.equal(await page.locator(".records .good").count(), 3);
    lieBack(notes[1]);
    for (let time = 0; time < 2; time += 1) {
      await page.reload();
      await settled(page);
      assert.match(await words(page), /This does not hold\. The log has 2 records, and had 3 \(log-shrank\).*No record is shown/);
      assert.equal(await page.locator(".records").count(), 0);
    }
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the evidence" }).click()]);
    const saved = readFileSync(await download.path(), "utf8");
    assert.ok(saved.includes(notes[1]) && saved.includes(notes[2]), "both signed notes, as they came");
    assert.match(saved, /log-shrank/);
    await page.getByRole("button", { name: "Forget it" }).click();
    web.beHonest();
    await page.reload();
    await settled(page);
    assert.equal(await page.locator(".records .good").count(), 3);
    await page.context().close();
  } finally {
    await stop();
  }
});

test("after an alarm nothing can be followed, and nothing is said of how long the log is", async () => {
  const { web, notes, stop } = await startLog("registry.example/alarm", 3);
  try {
    web.lie((url) => (url.startsWith(`${JOURNAL}stream`) ? { headers: { "content-type": "text/event-stream" }, body: checkpointEvent(notes[1]) } : undefined));
    const page = await all.open("/console/decisions", { from: web });
    await page.waitForSelector("[role=alert]");
    const text = await words(page);
    assert.match(text, /Save the evidence.*Nothing more is read\. What stands below was read before the alarm\. Keep it: it is evidence\./);
    assert.match(text, /Shown: 3 of 3 that were read before that\./);
    assert.doesNotMatch(text, /the log has \d+\./);
    for (const name of ["Stop following", "Follow again", "Older decisions"]) assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the evidence" }).click()]);
    const saved = readFileSync(await download.path(), "utf8");
    assert.ok(notes.slice(1).every((note) => saved.includes(note)));
    await page.context().close();
  } finally {
    await stop();
  }
});

test("what is forgotten is not kept again by the same visit", async () => {
  const { web, notes, send, stop, lieBack } = await startLog("registry.example/forget", 2);
  try {
    const page = await all.open("/console/log", { from: web, clock: true });
    await settled(page);
    await page.getByRole("button", { name: "Forget it" }).click();
    await send();
    await page.clock.runFor(16_000);
    await page.waitForFunction(() => document.querySelector("#size h2").textContent === "3 records");
    assert.match(await words(page, "#seen"), /What was seen is forgotten, and nothing is kept of this visit/);
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
    lieBack(notes[0]);
    await page.clock.runFor(16_000);
    await page.waitForSelector("[role=alert]");
    assert.match(await words(page, "[role=alert]"), /The log has 1 records, and had 3/, "the visit itself does not forget");
    await page.context().close();
  } finally {
    await stop();
  }
});

test("no request left any page for elsewhere, and the browser complained about nothing", () => expectQuiet(all));
