// Everybody can use the console: by keyboard, by screen reader, on any width, in both schemes and without a script.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { repository } from "./bundles.mjs";
import { expectQuiet, give, settled, startEverything, views, words } from "./console-pages.mjs";
import { axe } from "./pages.mjs";

const SCREENSHOTS = process.env.SVC_SCREENSHOTS ?? join(repository, "target/console-screenshots");

let all;
before(async () => {
  all = await startEverything();
});
after(() => all?.stop());

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

test("to a screen reader it is landmarks, headings, tables and named pictures", async () => {
  const page = await all.open("/console/");
  await give(page, all.bundles.broken);
  for (const [role, name] of [["complementary", "Outcome"], ["navigation", "Pages"], ["navigation", "Sections"]]) assert.equal(await page.getByRole(role, { name }).count(), 1, name);
  for (const role of ["banner", "main", "contentinfo"]) assert.equal(await page.getByRole(role).count(), 1, role);
  assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
  assert.equal(await page.getByRole("img", { name: /acceptance-request from submission, not what its parent gives, the edge is broken/ }).count(), 1);
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

test("without its script the console says what it needs, and that it is closed", async () => {
  const page = await all.open("/console/log", { javaScriptEnabled: false });
  const text = (await page.locator("body").innerText()).replace(/\s+/g, " ");
  assert.match(text, /CLOSED Missing gates: /);
  assert.ok(text.includes("Nothing here can be installed."));
  assert.match(text, /needs its own script/);
  await page.context().close();
});

test("every page is accessible in both schemes, wide and narrow, moves nothing, and is kept as a picture", async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const { name, path, act, from } of views(all)) {
    for (const width of [320, 1280]) {
      const page = await all.open(path, { width, from, reducedMotion: "reduce" });
      await settled(page);
      await act?.(page);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await settled(page);
        await page.evaluate(() => scrollTo(0, 0));
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
        await page.evaluate(() =>
          document.querySelectorAll("details").forEach((details) => {
            if (details.open) details.dataset.open = "";
            details.open = true;
          }),
        );
        await settled(page);
        const violations = await page.evaluate(`${axe}; axe.run().then((result) => result.violations.map((v) => v.id + " " + v.nodes.map((n) => n.html).join(" ").slice(0, 300)))`);
        assert.deepEqual(violations, [], `${name} ${colorScheme} ${width}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(overflow <= 0, `${name} ${width} wide: ${overflow} beyond the edge`);
        assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
        assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = details.dataset.open === "")));
      }
      await page.context().close();
    }
  }
});

/** Words that a page broke inside, and not after one of their parts. */
const brokenWords = (page, selector) =>
  page.evaluate((selector) => {
    const broken = [];
    for (const part of document.querySelectorAll(selector)) {
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        if (!node.parentElement.checkVisibility() || node.parentElement.closest(".unseen, pre") !== null) continue;
        // A narrow page shows headings beside their cells, and those of the table to screen readers alone.
        const head = node.parentElement.closest("thead");
        if (head !== null && getComputedStyle(head).position === "absolute") continue;
        for (const { 0: word, index } of node.data.matchAll(/[^\s./-]+[./-]*/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
          // What no narrow page has room for may break anywhere.
          if (lines.size > 1 && word.length <= 18) broken.push(`${word}, ${part.className || part.localName}`);
        }
      }
    }
    return broken;
  }, selector);

test("no word of a decision or a table is broken inside, on any width", async () => {
  for (const width of [320, 600, 700, 768, 800, 850, 960, 1024, 1280]) {
    const page = await all.open("/console/decisions", { width });
    await settled(page);
    assert.deepEqual(await brokenWords(page, ".records summary > *"), [], `decisions ${width}`);
    const narrow = await page.evaluate(() => [...document.querySelectorAll(".records .what")].map((part) => part.getBoundingClientRect().width).filter((size) => size < 80));
    assert.deepEqual(narrow, [], `decisions ${width}`);
    await page.context().close();
  }
  for (const width of [320, 600, 768, 960, 1280]) {
    const page = await all.open("/console/", { width });
    await give(page, all.bundles.blocked);
    assert.deepEqual(await brokenWords(page, "th, td"), [], `inspector ${width}`);
    await page.context().close();
    const gates = await all.open("/console/gates", { width });
    await settled(gates);
    assert.deepEqual(await brokenWords(gates, "th, td"), [], `gates ${width}`);
    await gates.context().close();
    const service = await all.open("/console/service", { width, from: all.admin });
    await settled(service);
    assert.deepEqual(await brokenWords(service, "th, td"), [], `service ${width}`);
    await service.context().close();
  }
});

test("the text of the hash chain can be read at every width", async () => {
  for (const bundle of ["plain", "broken"]) {
    const page = await all.open("/console/");
    await give(page, all.bundles[bundle]);
    for (const width of [320, 600, 735, 740, 768, 900, 1023, 1025, 1100, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const sizes = await page.evaluate(() =>
        [...document.querySelectorAll("#chain svg text")]
          .filter((text) => text.checkVisibility())
          .map((text) => parseFloat(getComputedStyle(text).fontSize) * (text.ownerSVGElement.getBoundingClientRect().width / text.ownerSVGElement.viewBox.baseVal.width)),
      );
      assert.ok(sizes.length >= 21 && Math.min(...sizes) >= 11, `${bundle} ${width}: ${Math.min(...sizes)} px`);
    }
    await page.context().close();
  }
});

test("pages without a script cut nothing off on a phone", async () => {
  for (const path of ["/console/rules", "/console/rules/SVC-P001", "/console/problems", "/console/api"]) {
    for (const width of [320, 390]) {
      const page = await all.open(path, { width, javaScriptEnabled: false });
      const cut = await page.evaluate(() => [...document.querySelectorAll("main *")].filter((part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0 && getComputedStyle(part).display !== "inline").map((part) => `${part.localName}: ${part.textContent.slice(0, 60)}`));
      assert.deepEqual(cut, [], `${path} ${width}`);
      await page.context().close();
    }
  }
});

test("no request left any page for elsewhere, and the browser complained about nothing", () => expectQuiet(all));
