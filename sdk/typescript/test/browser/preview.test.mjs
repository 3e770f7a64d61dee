// The built package in Chromium: the catalog preview, the example bundle, and a running registry behind the page's origin.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ARTIFACTS, canonicalize, digestJson, toFile } from "../../dist/index.js";
import { documentDigest } from "../../dist/artifact/digests.js";
import { bytes, exampleBundle, kit, valueOf } from "../kit.mjs";
import { runSvc, startBrowser, startPreview, startRegistry } from "../live/service.mjs";

let registry;
let preview;
let browser;
let page;
const strangers = [];
const complaints = [];

before(async () => {
  registry = await startRegistry();
  preview = await startPreview(registry);
  browser = await startBrowser();
  page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== preview.address) strangers.push(request.url());
  });
  page.on("console", (message) => {
    // The one refusal that a test asks for.
    if (message.text().includes("status of 422")) return;
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  await page.goto(preview.address);
  await page.waitForSelector("#status[data-state]");
});
after(async () => {
  await browser?.close();
  await preview?.stop();
  await registry?.stop();
});

/** The example index, by rules that would let every text pass, with other texts in its first package and digests that fit. */
function indexWith(texts) {
  const index = valueOf("index", "valid");
  const [entry] = index.entries;
  const { submission } = entry;
  Object.assign(submission.packageArtifact.manifest, texts);
  submission.owner.name = texts.name;
  const parts = [submission.packageArtifact.manifest, submission.packageArtifact];
  parts.forEach((part, at) => Object.assign(submission.artifactDigests[at], { digest: digestJson(part), size: Buffer.byteLength(canonicalize(part)) }));
  submission.documentDigest = documentDigest(submission);
  entry.submissionDigest = submission.documentDigest;
  index.derivedFrom[0].digest = submission.documentDigest;
  index.documentDigest = documentDigest(index);
  return toFile(index);
}

const choose = async (name, text) => {
  await page.setInputFiles("#file", { name, mimeType: "application/json", buffer: Buffer.from(text) });
  await page.waitForFunction((name) => document.getElementById("status").textContent.startsWith(`${name}: `), name);
};

const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  '"><svg onload=alert(1)>',
  "</h2><iframe srcdoc=x>",
  "javascript:alert(1)",
  "{{7*7}}${7*7}",
  "✓ Verified &lt;b&gt; &amp;",
];

test("a hostile name stays a name: no element, no script, no request", async () => {
  const count = () => page.evaluate(() => document.querySelectorAll("*").length);
  await choose("plain.json", indexWith({ name: "Plain", summary: "Plain." }));
  const elements = await count();
  for (const name of HOSTILE) {
    await choose("hostile.json", indexWith({ name, summary: name }));
    assert.equal(await page.textContent("#entry-0"), name);
    assert.equal(await count(), elements, name);
    assert.equal(await page.evaluate(() => document.querySelectorAll("main :is(img, svg, iframe, script, a, style)").length), 0);
  }
  await choose("<img src=x onerror=alert(1)>.json", indexWith({ name: "Plain", summary: "Plain." }));
  assert.equal(await count(), elements);
});

test("an index with an open claim is refused with its findings", async () => {
  await choose("claim.json", bytes("index", "accepted-true"));
  assert.match(await page.textContent("#status"), /refused\. \d+ finding/);
  assert.match(await page.textContent("#entries"), /SVC-B006/);
  assert.equal(await page.locator("article").count(), 0);
});

test("the words of the preview are those of svc lifecycle", async () => {
  const index = join(kit, "documents/index.json");
  const printed = spawnSync(process.execPath, ["print.mjs", index], { cwd: preview.folder, encoding: "utf8" });
  assert.equal(printed.status, 0, printed.stderr);
  const lines = runSvc("lifecycle", index).split("\n").filter((line) => line !== "");
  const labels = [...new Set(lines.map((line) => line.split(" ")[0]))];
  assert.deepEqual(labels, ["Package", "Stage", "Reviewed", "Verdict", "Next", "Yours", "Do", "Gates", "Outcome"]);
  // Those two the guide leaves out by name: what is left for the author comes from rules that the SDK does not have.
  const ofStages = lines.filter((line) => !/^(Package|Yours) /.test(line));
  const stages = ofStages.map((line) => `${line}\n`).join("");
  assert.equal(printed.stdout, stages);

  await page.reload();
  await page.waitForSelector("#status[data-state=valid]");
  const cards = await page.locator("article").allInnerTexts();
  const said = stages.split(/(?=Stage {5})/);
  assert.equal(cards.length, said.length);
  said.forEach((lines, at) => {
    for (const [, word, text] of lines.matchAll(/^(Stage|Reviewed|Verdict|Next|Gates) +(.*)$/gm)) {
      for (const part of text.split("  ")) assert.ok(cards[at].includes(part), `${word} ${part} is not on card ${at}`);
    }
  });
  // What the author has to do is nothing for visitors.
  for (const card of cards) assert.doesNotMatch(card, /no evidence clears|\byours\b|the author has/i);
  assert.match(await page.textContent("header"), /nothing here is accepted, signed or installable/);
});

test("the page in Chromium checks the example bundle and asks the registry, through its own origin", async () => {
  const files = Object.fromEntries(Object.entries(exampleBundle(ARTIFACTS)).map(([file, text]) => [file, Buffer.from(text).toString("utf8")]));
  const result = await page.evaluate(async (files) => {
    const sdk = await import(new URL("sdk/index.js", location.href).href);
    const checked = sdk.verifyBundle(files);
    const client = sdk.createRegistryClient({ baseUrl: location.origin });
    const answer = await client.evaluateAcceptanceRequest(files["svc-registry-acceptance-request.json"]);
    const tampered = files["svc-registry-acceptance-request.json"].replace('"accepted": false', '"accepted": true');
    const refused = await client.evaluateAcceptanceRequest(tampered);
    const broken = sdk.verifyBundle({ ...files, "svc-registry-acceptance-request.json": tampered });
    return { valid: checked.ok, outcome: answer.value?.outcome, accepted: answer.value?.accepted, code: refused.problem?.code, broken: broken.problem };
  }, files);
  assert.deepEqual(result, { valid: true, outcome: "denied", accepted: false, code: "posture-violation", broken: "posture-violation" });
});

test("the preview is accessible in light and dark, wide and narrow", async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1200, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const violations = await page.evaluate(`${axe}; axe.run().then((result) => result.violations.map((v) => v.id + " " + v.nodes.map((n) => n.html).join(" ").slice(0, 300)))`);
      assert.deepEqual(violations, [], `${colorScheme} ${width}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${width} wide: ${overflow} beyond the edge`);
      if (process.env.SVC_SCREENSHOTS) await page.screenshot({ path: join(process.env.SVC_SCREENSHOTS, `preview-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1200, height: 900 });
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "file", "the one control is reached by keyboard");
});

test("no request left the page's origin, and the browser complained about nothing", () => {
  assert.deepEqual(strangers, []);
  assert.deepEqual(complaints, []);
});
