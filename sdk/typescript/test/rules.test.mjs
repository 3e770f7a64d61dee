// Every rule that looks at packages, by the examples of the rule set: it fires on one and passes on the other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { blockerInWords, digestBytes, SVC_DEFAULT } from "../dist/index.js";
import { collidingRows, collisionKey } from "../dist/package/collisions.js";
import { covers } from "../dist/rules/declared.js";
import { packageOf } from "../dist/rules/package.js";
import { blockersOf, ownBlockers } from "../dist/review/blockers.js";
import { refusals } from "../dist/review/recheck.js";
import { reportOn } from "../dist/review/report.js";
import { CHECKS, findingsOf } from "../dist/rules/run.js";
import { contract } from "./kit.mjs";

const { base, rules } = JSON.parse(contract("ruleset.json"));

/** The facts of the examples: reading files is the work of the command line. */
const SEEN = {
  "SVC-F006": { file: "tools/convert", kind: "binary", word: "elf" },
  "SVC-F008": { file: "config.js", kind: "secret", word: "registry-token" },
  "SVC-F012": { kind: "pattern", subject: "1", word: "idle" },
  "SVC-F013": { file: "index.html.txt", kind: "signature-material", word: "openpgp" },
  "SVC-F017": { file: "index.html", kind: "reference", subject: "app.js", word: "script" },
  "SVC-F019": { file: "data.bin", kind: "archive", word: "zip" },
  "SVC-F020": { file: "app.js", kind: "unread", word: "syntax" },
  "SVC-F021": { file: "app.wasm", kind: "wasm", word: "module" },
  "SVC-F022": { file: "app.jsx", kind: "shape", word: "jsx" },
  "SVC-F023": { file: "config.js", kind: "public-key", word: "service" },
  "SVC-L010": { file: "README.md", kind: "template", word: "untouched" },
  "SVC-L011": { file: "README.md", kind: "claim", word: "approved" },
  "SVC-P012": { file: "app.js", kind: "dynamic-code", subject: "computed", word: "eval" },
  "SVC-P013": { file: "app.js", kind: "contact", subject: "https://collect.example", word: "fetch" },
  "SVC-P014": { file: "app.js", kind: "power", subject: "called", word: "storage" },
  "SVC-P015": { file: "index.html", kind: "inline", word: "script" },
  "SVC-P017": { file: "app.js", kind: "contact", subject: "computed", word: "fetch" },
};

/** The facts of the base package, beside its pictures. */
const PAGE = { count: 1, file: "index.html", kind: "page", word: "document" };
const CONTACT = { count: 1, file: "board.js", kind: "contact", subject: "https://api.acme.dev", word: "fetch" };

function filesOf(text) {
  return text.split("\n").map((line) => line.split(": ", 2));
}

function merged(target, patch) {
  if (typeof patch !== "object" || Array.isArray(patch)) return patch;
  const copy = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete copy[name];
    else copy[name] = merged(copy[name], value);
  }
  return copy;
}

/** The base package with an example put over it, and more facts. */
function packageWith({ form, text }, ...seen) {
  const manifest = form === "manifest" ? merged(JSON.parse(base.manifest), JSON.parse(text)) : JSON.parse(base.manifest);
  const files = new Map(filesOf(base.files));
  if (form === "files" && text.startsWith("- ")) files.delete(text.slice(2));
  else if (form === "files") for (const [path, content = ""] of filesOf(text)) files.set(path, content);
  const paths = [...files.keys()].sort();
  const pictures = manifest.icons.filter(({ src }) => files.has(src)).map(({ src }) => pictureOf(src, files.get(src)));
  const facts = [CONTACT, ...pictures.flat(), PAGE, ...seen.map((fact) => ({ count: 1, ...fact }))];
  return packageOf(SVC_DEFAULT, manifest, paths.map((path) => ({ digest: digestBytes(new Uint8Array()), mediaType: "text/plain", path, size: 1 })), facts);
}

function pictureOf(file, content) {
  const bytes = Buffer.from(content.startsWith("hex:89504e47") ? content.slice(4) : "", "hex");
  if (bytes.length === 0) return [];
  return [{ count: 1, file, kind: "image", subject: `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, word: "png" }];
}

/** The rules that are run over packages: those with a check of their own, and the one about exceptions. */
const RUN = [...Object.keys(CHECKS), "SVC-M031"];

/** Rules whose example breaks the form of a member before any check sees it. */
const BY_FORM = ["SVC-M030"];

test("a hundred exceptions are the most", () => {
  const rows = (count) => {
    const row = { path: "app.js", reason: "It is old.", rule: "SVC-P012" };
    const text = JSON.stringify({ exceptions: Array.from({ length: count }, () => row) });
    return findingsOf(packageWith({ form: "manifest", text })).filter(({ rule }) => rule === "SVC-M030").length;
  };
  assert.deepEqual([rows(100), rows(101)], [0, 1]);
});

test("every rule with a check fires on its example and passes on the other", () => {
  const tried = new Set();
  for (const { code, fires, passes } of rules) {
    if (!RUN.includes(code) || fires.form === "case" || BY_FORM.includes(code)) continue;
    const found = (example, ...seen) => findingsOf(packageWith(example, ...seen)).filter(({ rule }) => rule === code);
    assert.notDeepEqual(found(fires, ...(code in SEEN ? [SEEN[code]] : [])), [], `${code} does not fire`);
    assert.deepEqual(found(passes), [], `${code} fires on what passes`);
    tried.add(code);
  }
  const byCase = ["SVC-F004", "SVC-F005"];
  assert.deepEqual([...tried, ...byCase, ...BY_FORM].sort(), RUN.toSorted());
  assert.equal(RUN.every((code) => Object.hasOwn(SVC_DEFAULT.rows, code)), true);
});

test("a finding may weigh less than its rule, and counts for what it weighs", () => {
  const policy = (csp) => packageWith({ form: "manifest", text: JSON.stringify({ entry: { csp } }) });
  const weights = (csp) => findingsOf(policy(csp)).filter(({ rule }) => rule.startsWith("SVC-P")).map(({ severity }) => severity);
  assert.deepEqual(weights({ "style-src": ["'unsafe-inline'"] }), ["warning"]);
  assert.deepEqual(weights({ "script-src": ["'unsafe-inline'"] }), ["error"]);
  assert.deepEqual(weights({ "connect-src": ["'self'"] }), ["warning"]);
  const doubtful = policy({ "style-src": ["'unsafe-inline'"] });
  const { counts, findings, verdict } = reportOn(doubtful, findingsOf(doubtful));
  assert.deepEqual(counts, { blockers: 0, notes: 0, warnings: 1 });
  assert.deepEqual(findings.map(({ code, severity }) => [code, severity]), [["SVC-P008", "warning"]]);
  assert.equal(verdict, "validated-with-warnings");
  assert.deepEqual(refusals(findingsOf(doubtful)), []);
  assert.equal(refusals(findingsOf(policy({ "script-src": ["'unsafe-inline'"] }))).length, 1);
});

test("sizes and numbers of files have their bounds", () => {
  const manifest = JSON.parse(base.manifest);
  const codes = (files) => findingsOf(packageOf(SVC_DEFAULT, manifest, files)).map(({ rule }) => rule);
  const file = (path, size) => ({ path, size });
  assert.equal(codes([file("a", 26_214_400)]).includes("SVC-F004"), false);
  assert.equal(codes([file("a", 26_214_401)]).includes("SVC-F004"), true);
  assert.equal(codes(Array.from({ length: 5 }, (_, at) => file(`${at}`, 21_000_000))).includes("SVC-F004"), true);
  const many = (count) => Array.from({ length: count }, (_, at) => file(`${at}`, 1));
  assert.equal(codes(many(10_000)).includes("SVC-F005"), false);
  assert.equal(codes(many(10_001)).includes("SVC-F005"), true);
});

test("without files or facts the rules that need them do not run", () => {
  const manifest = { ...JSON.parse(base.manifest), icons: [] };
  const needs = (...given) => new Set(findingsOf(packageOf(SVC_DEFAULT, manifest, ...given)).map(({ rule }) => SVC_DEFAULT.rows[rule].needs));
  assert.deepEqual(needs(), new Set());
  assert.deepEqual(needs([]), new Set(["file-table"]));
  assert.deepEqual(needs([], []), new Set(["file-table", "facts"]));
});

test("names that meet on some file system have one key, and folders meet too", () => {
  for (const [left, right] of [["README.md", "readme.MD"], ["straße", "STRASSE"], ["Ω", "Ω"], ["ﬁle", "file"], ["ς", "σ"], ["é", "e\u0301"]]) {
    assert.equal(collisionKey(left), collisionKey(right), `${left} ${right}`);
  }
  const rows = (...paths) => collidingRows(paths.map((path) => ({ path })));
  assert.deepEqual(rows("a", "b/a", "b/c"), []);
  assert.deepEqual(rows("Assets/a", "assets/b"), [1]);
  assert.deepEqual(rows("a", "a/b"), [1]);
  assert.deepEqual(rows("SVC-App.json"), [1], "the manifest takes part");
  assert.deepEqual(rows("a", "a"), [1]);
});

const BASE = { form: "manifest", text: "{}" };
const withExceptions = (...exceptions) => ({ form: "manifest", text: JSON.stringify({ exceptions: exceptions.map(([rule, path]) => ({ rule, path, reason: "Old hosts need it." })) }) });
const rowsOf = (given, code) => findingsOf(given).filter(({ rule }) => rule === code);
const checkOf = (given, asked) => reportOn(given, findingsOf(given)).checks.find(({ code }) => code === asked);

test("an exception leaves its finding in the open: a blocker that a reviewer of the registry looks at", () => {
  const elf = { file: "board.js", kind: "binary", word: "elf" };
  const given = packageWith(withExceptions(["SVC-F006", "board.js"]), elf);
  assert.deepEqual(rowsOf(given, "SVC-F006").map(({ severity, exception }) => [severity, exception]), [["blocker", 0]]);
  assert.deepEqual(checkOf(given, "SVC-F006"), { code: "SVC-F006", count: 1, result: "excepted" });
  assert.deepEqual(refusals(findingsOf(given)), []);
  const report = reportOn(given, findingsOf(given));
  const [blocker] = blockersOf(report, false);
  assert.deepEqual(blocker, { blocksStage: "collection-entry", code: "SVC-F006", owner: "registry" });
  assert.equal(blockerInWords(blocker).message, `an exception was asked for: ${SVC_DEFAULT.rows["SVC-F006"].title}`);
  assert.deepEqual(ownBlockers(findingsOf(given), false)[0], blocker);
  const elsewhere = packageWith(withExceptions(["SVC-F006", "README.md"]), elf);
  assert.equal(checkOf(elsewhere, "SVC-F006").result, "failed");
  assert.deepEqual(rowsOf(elsewhere, "SVC-M031").map(({ pointer }) => pointer), ["/exceptions/0"]);
  assert.equal(refusals(findingsOf(elsewhere)).length, 1);
});

test("a secret that was seen, and code from elsewhere, are beyond every exception", () => {
  const cases = [
    ["SVC-F008", { file: "board.js", kind: "secret", word: "private-key" }],
    ["SVC-P012", { file: "board.js", kind: "remote-code", subject: "https://cdn.example", word: "script" }],
    ["SVC-P013", { file: "board.js", kind: "remote-code", subject: "https://cdn.example", word: "script" }],
  ];
  for (const [code, fact] of cases) {
    const given = packageWith(withExceptions([code, "board.js"]), fact);
    assert.equal(checkOf(given, code).result, "failed", code);
    assert.equal(checkOf(given, "SVC-M031").count, 1, code);
  }
  const contacted = packageWith(withExceptions(["SVC-P013", "board.js"]), { file: "board.js", kind: "contact", subject: "https://cdn.example", word: "fetch" });
  assert.equal(checkOf(contacted, "SVC-P013").result, "excepted");
});

test("more than three files with one cause are one finding, in the first of them", () => {
  const named = (count) => ({ form: "files", text: Array.from({ length: count }, (_, at) => `src/${at}.map: {}`).join("\n") });
  assert.deepEqual(rowsOf(packageWith(named(3)), "SVC-F009").map(({ file, files }) => [file, files]), [0, 1, 2].map((at) => [`src/${at}.map`, undefined]));
  const many = packageWith(named(308));
  assert.deepEqual(rowsOf(many, "SVC-F009").map(({ file, files }) => [file, files]), [["src/0.map", 308]]);
  assert.deepEqual(checkOf(many, "SVC-F009"), { code: "SVC-F009", count: 1, result: "failed" });
  assert.equal(reportOn(many, findingsOf(many)).findings.find(({ code }) => code === "SVC-F009").files, 308);
  const own = { form: "files", text: ["a", "b", "c", "d"].map((folder) => `${folder}/svc-registry-index.json: {}`).join("\n") };
  assert.equal(rowsOf(packageWith(own), "SVC-F010").length, 4, "each has a name of its own");
  const seen = (word, files) => files.map((file) => ({ file, kind: "power", subject: "called", word }));
  const files = ["README.md", "board.js", "index.html", "locales/en.json"];
  const told = packageWith(BASE, ...seen("storage", files), ...seen("camera", files.slice(1)));
  assert.deepEqual(rowsOf(told, "SVC-P014").map(({ subject, files = 1 }) => [subject, files]), [["storage:called", 4], ...Array(3).fill(["camera:called", 1])]);
  const excepted = packageWith(withExceptions(["SVC-P014", "board.js"]), ...seen("storage", files));
  assert.equal(rowsOf(excepted, "SVC-P014").length, 4, "what a reviewer looks at has another cause");
});

test("no rule takes the room of another in the list of a report", () => {
  const seen = (subject) => ({ file: "board.js", kind: "contact", subject, word: "fetch" });
  const given = packageWith(BASE, ...Array.from({ length: 300 }, (_, at) => seen(`https://h${at}.example`)), { file: "README.md", kind: "claim", word: "official" });
  const { checks, counts, findings, truncated } = reportOn(given, findingsOf(given));
  assert.deepEqual([findings.length, truncated, counts.blockers], [200, true, 300]);
  assert.equal(checks.find(({ code }) => code === "SVC-P013").count, 300);
  assert.equal(findings.at(-1).code, "SVC-L011");
});

test("a rule that could not look at everything has not passed", () => {
  const unread = packageWith(BASE, { file: "board.js", kind: "unread", word: "syntax" });
  for (const code of ["SVC-P012", "SVC-P013", "SVC-P016", "SVC-F017", "SVC-F021"]) assert.equal(checkOf(unread, code).result, "skipped", code);
  for (const code of ["SVC-F006", "SVC-L010"]) assert.equal(checkOf(unread, code).result, "passed", code);
  const cut = packageWith(BASE, { kind: "shape", word: "cut" });
  assert.deepEqual(["SVC-F021", "SVC-F022", "SVC-P012"].map((code) => checkOf(cut, code).result), ["skipped", "skipped", "passed"]);
});

test("an allowed origin covers itself and what its star stands for", () => {
  const cases = [
    ["https://api.acme.dev", "https://api.acme.dev", true],
    ["https://api.acme.dev", "https://API.acme.dev:443", true],
    ["https://api.acme.dev", "wss://api.acme.dev", true],
    ["https://api.acme.dev", "http://api.acme.dev", false],
    ["https://api.acme.dev", "https://api.acme.dev:8443", false],
    ["https://api.acme.dev", "https://evil-api.acme.dev", false],
    ["https://*.acme.dev", "https://a.b.acme.dev", true],
    ["https://*.acme.dev", "https://acme.dev", false],
    ["https://*.acme.dev", "https://.acme.dev", false],
    ["https://*.acme.dev", "https://evilacme.dev", false],
    ["https://api.acme.dev", "https://*", false],
  ];
  for (const [allowed, origin, isCovered] of cases) assert.equal(covers(allowed, origin), isCovered, `${allowed} ${origin}`);
});
