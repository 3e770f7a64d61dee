// An alarm stands on top, says what it means, and keeps both signed states; nothing beside it looks as if it held.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { asText, expectQuiet, JOURNAL, settled, startEverything, startLog, words } from "./console-pages.mjs";
import { checkpointEvent, eventOf } from "./console-server.mjs";

let all;
before(async () => {
  all = await startEverything();
});
after(() => all?.stop());

const asStream = (body) => ({ headers: { "content-type": "text/event-stream" }, body });

/** The alarm is on the first screen and in the title, is told at once, and nothing that can be seen is green. */
async function expectAlarm(page, why) {
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await words(page, "[role=alert]"), why);
  assert.match(await page.title(), /^Alarm: (Log|Decisions): console of svc$/);
  const { top, bottom, height } = await alert.evaluate((box) => ({ ...box.getBoundingClientRect().toJSON(), height: innerHeight }));
  assert.ok(top >= 0 && Math.floor(bottom) <= height, `from ${top} to ${bottom} of ${height}`);
  assert.equal(await alert.evaluate((box) => box.previousElementSibling.localName), "h1", "nothing comes before it");
  assert.equal(await page.locator("main .good:visible").evaluateAll((parts) => parts.filter((part) => part.closest(".past") === null).length), 0);
  assert.equal(await page.locator(".records .state.good").count(), 0);
}

async function savedBy(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the evidence" }).click()]);
  return readFileSync(await download.path(), "utf8");
}

test("an alarm on Log stands on top, and what was read before it is put away with its time", async () => {
  const { web, notes, stop, lieBack } = await startLog("registry.example/top", 3);
  try {
    for (const [width, height] of [[1280, 720], [320, 568]]) {
      const page = await all.open("/console/log", { from: web, clock: true, width, height });
      await settled(page);
      assert.ok((await page.locator("#signatures .good").count()) > 0);
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      lieBack(notes[1]);
      await page.clock.runFor(16_000);
      await expectAlarm(page, /This does not hold\. The log has 2 records, and had 3 \(log-shrank\)\. Records that were signed are gone: the log was set back to an earlier copy, or another log stands in its place\..*Save the evidence and ask the operator/);
      assert.match(await words(page, ".readings"), /^What was read before the alarm, at \d\d:\d\d:\d\d UTC$/);
      const saved = await savedBy(page);
      assert.ok(saved.includes(notes[1]) && saved.includes(notes[2]), "both signed states");
      web.beHonest();
      // Whoever goes elsewhere leaves the alarm behind.
      await page.getByRole("link", { name: "Gates" }).click();
      assert.match(await page.title(), /^Gates/);
      await page.context().close();
    }
  } finally {
    await stop();
  }
});

test("an alarm on Decisions stands on top, and keeps what was seen and what the registry shows now", async () => {
  const { service, web, notes, stop } = await startLog("registry.example/both", 4);
  try {
    const ahead = await (await fetch(`${service.address}${JOURNAL}stream?after=999999`)).text();
    for (const [width, height] of [[1280, 720], [320, 568]]) {
      let isOld = false;
      web.lie((url) => {
        if (!url.startsWith(`${JOURNAL}stream`)) return undefined;
        isOld = true;
        return { status: 409, headers: { "content-type": "application/problem+json" }, body: ahead };
      });
      web.lie((url) => (isOld && url === `${JOURNAL}checkpoint` ? asText(notes[1]) : undefined));
      const page = await all.open("/console/decisions", { from: web, width, height });
      await expectAlarm(page, /This does not hold\. The log is shorter than what was seen of it.*\(follow-ahead-of-log\)\. Records that were signed are gone/);
      await page.waitForFunction(() => document.querySelector(".evidence").textContent.includes("What the registry shows now: the log has 2 records, and had 4 (log-shrank)."));
      assert.match(await words(page, ".records > li:first-child"), /read before the alarm/);
      const saved = await savedBy(page);
      assert.match(saved, /signed state 1 of 2: The state that was seen\n.*\n4\n/);
      assert.match(saved, /signed state 2 of 2: The state that came then\n.*\n2\n/);
      assert.ok(saved.includes(notes[1]) && saved.includes(notes[3]), "each as it came");
      web.beHonest();
      await page.context().close();
    }
  } finally {
    await stop();
  }
});

test("a log that is not the one of the last visit is an alarm on top of Decisions too", async () => {
  const { web, notes, stop, lieBack } = await startLog("registry.example/visit", 3);
  try {
    const page = await all.open("/console/decisions", { from: web, width: 320, height: 568 });
    await settled(page);
    lieBack(notes[0]);
    await page.reload();
    await expectAlarm(page, /The log has 1 records, and had 3 \(log-shrank\)/);
    assert.equal(await page.locator(".records").count(), 0);
    await page.context().close();
  } finally {
    await stop();
  }
});

test("a fork is told in words that somebody can act on", async () => {
  const { service, web, notes, send, stop } = await startLog("registry.example/words", 3);
  const meaning = /Other records stand where signed ones stood: the log was set back and went on from there, another log stands in its place, or somebody between the registry and this page changes what it answers\. Rely on nothing.*ask the operator.*svc log verify/;
  try {
    // The hashes are those of another log.
    web.lie((url) => (url.startsWith(`${JOURNAL}tile/0/`) ? { headers: { "content-type": "application/octet-stream" }, body: Buffer.alloc(96, 7) } : undefined));
    const page = await all.open("/console/decisions", { from: web });
    await expectAlarm(page, /The hashes that the server serves are not those of the signed state that was seen/);
    assert.match(await words(page, "[role=alert]"), meaning);
    assert.doesNotMatch(await words(page), /a follower of this log/);
    web.beHonest();
    await page.context().close();
    // The stream brings another record than the one that was signed.
    const { entries } = await (await fetch(`${service.address}${JOURNAL}entries?limit=1`)).json();
    await send();
    web.lie((url) => (url === `${JOURNAL}checkpoint` ? asText(notes[2]) : undefined));
    web.lie((url) => (url.startsWith(`${JOURNAL}stream`) ? asStream(eventOf({ ...entries[0].record, sequence: 3 }) + checkpointEvent(notes[3])) : undefined));
    const other = await all.open("/console/decisions", { from: web });
    await expectAlarm(other, /not those of the signed state of 4 \(follow-wrong-root\)/);
    assert.match(await words(other, "[role=alert]"), meaning);
    const saved = await savedBy(other);
    assert.ok(saved.includes(notes[2]) && saved.includes(notes[3]));
    await other.context().close();
  } finally {
    await stop();
  }
});

test("no request left any page for elsewhere, and the browser complained about nothing", () => expectQuiet(all));
