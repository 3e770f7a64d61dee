// The readers of the console that no page is needed for: the metrics, and the levels of tiles.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { bundled, folder } from "../bundling.mjs";
import { scratch } from "./bundles.mjs";

let work;
let parts;
before(async () => {
  work = scratch();
  const contents = 'export * from "./src/console/metrics.ts"; export { levelsOf } from "./src/console/tile-picture.ts"; export { ago, paceOf, span } from "./src/console/page.ts"; export { sentenceOf } from "./src/console/failure.ts";';
  const path = join(work.folder, "parts.mjs");
  writeFileSync(path, await bundled(undefined, { entryPoints: undefined, stdin: { contents, resolveDir: folder, loader: "ts" }, format: "esm" }));
  parts = await import(pathToFileURL(path).href);
});
after(() => work?.remove());

test("metrics that are none are counted, and the others are read", () => {
  const text = '# HELP x y\nsvc_ready 1\nsvc_answers_total{operation="a\\"},b",status="200"} 3\nsvc_answers_total{operation="b",status="404"} 4\nsvc_bad{x=1} 2\nsvc_bad NaN\nsvc bad 1\nsvc_inf +Inf\n';
  const reading = parts.readMetrics(text, 1000);
  assert.equal(reading.unread, 3);
  assert.equal(parts.valueOf(reading, "svc_ready"), 1);
  assert.equal(parts.sumOf(reading, "svc_answers_total"), 7);
  assert.equal(parts.of(reading, "svc_answers_total")[0].labels.get("operation"), 'a"},b');
  assert.equal(parts.valueOf(reading, "svc_none"), undefined);
});

test("a counter that fell tells no rate, and a share of nothing has no bound", () => {
  const at = (moment, count, buckets = "") => parts.readMetrics(`c_total ${count}\n${buckets}`, moment);
  const count = (reading) => parts.valueOf(reading, "c_total");
  assert.equal(parts.rateOf(at(0, 10), at(5_000, 60), count), 10);
  assert.equal(parts.rateOf(at(0, 10), at(5_000, 3), count), undefined);
  assert.equal(parts.rateOf(at(0, 10), at(0, 30), count), undefined);
  const buckets = (...counts) => counts.map((number, place) => `h_bucket{le="${["0.1", "0.5", "+Inf"][place]}"} ${number}\n`).join("");
  const [before, after] = [at(0, 0, buckets(1, 1, 1)), at(1, 0, buckets(11, 90, 101))];
  assert.deepEqual([0.05, 0.5, 0.99].map((share) => parts.quantile(before, after, "h", share)), [0.1, 0.5, Infinity]);
  assert.equal(parts.quantile(after, after, "h", 0.5), undefined);
});

test("tiles are counted level by level", () => {
  assert.deepEqual(parts.levelsOf(0), [{ level: 0, full: 0, part: 0 }]);
  assert.deepEqual(parts.levelsOf(300), [{ level: 0, full: 1, part: 44 }, { level: 1, full: 0, part: 1 }]);
  assert.deepEqual(parts.levelsOf(65_536), [{ level: 0, full: 256, part: 0 }, { level: 1, full: 1, part: 0 }, { level: 2, full: 0, part: 1 }]);
  assert.deepEqual([parts.span(1), parts.span(150), parts.span(7_300), parts.ago(0.2), parts.ago(3)], ["1 second", "2 minutes", "2 hours", "just now", "3 seconds ago"]);
});

test("the console is no more than 120 KB, compressed", () => {
  const sizes = ["console.html", "console.js", "console.css"].map((name) => gzipSync(readFileSync(join(folder, "bundle", name)), { level: 9 }).length);
  const all = sizes.reduce((sum, size) => sum + size);
  assert.ok(all <= 120_000, `${all} bytes: ${sizes}`);
  assert.ok(all > 20_000, "there is something to measure");
});

test("the script has no way to make elements or code of text, and keeps one thing", () => {
  const script = readFileSync(join(folder, "bundle/console.js"), "utf8");
  for (const word of ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "XMLHttp", "sessionStorage", "document.cookie", "indexedDB", "srcdoc", "createContextualFragment", "DOMParser", "WebSocket", "sendBeacon", "EventSource"]) {
    assert.ok(!script.includes(word), word);
  }
  assert.equal(script.split("localStorage").length - 1, 3, "one name is read, written and forgotten");
});

test("no pace is told of a moment, and the first record is where its time begins", () => {
  assert.equal(parts.paceOf(1, 0), "one record tells nothing of it");
  assert.equal(parts.paceOf(6, 1), "the newest 6 records came within 1 second: too short a time to tell a pace");
  assert.equal(parts.paceOf(61, 60), "the newest 61 records came within 60 seconds: 3,600 an hour at that pace");
  assert.equal(parts.paceOf(2, 7_200), "the newest 2 records came within 2 hours: 0.5 an hour at that pace");
});

test("what the browser says of an error is never shown", () => {
  assert.equal(parts.sentenceOf(new RangeError("Maximum call stack size exceeded")), "Something went wrong in this page.");
  assert.equal(parts.sentenceOf(new TypeError("Failed to fetch")), "Something went wrong in this page.");
});
