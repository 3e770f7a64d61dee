// Every rule that looks at packages, by the examples of the rule set: it fires on one and passes on the other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { digestBytes, RULES } from "../dist/index.js";
import { collidingRows, collisionKey } from "../dist/package/collisions.js";
import { packageOf } from "../dist/rules/package.js";
import { CHECKS, findingsOf } from "../dist/rules/run.js";
import { contract } from "./kit.mjs";

const { base, rules } = JSON.parse(contract("ruleset.json"));

/** The facts of the examples: reading files is the work of the command line. */
const SEEN = {
  "SVC-F006": { file: "tools/convert", kind: "binary", word: "elf" },
  "SVC-F008": { file: "config.js", kind: "secret", word: "registry-token" },
  "SVC-F012": { kind: "pattern", subject: "1", word: "idle" },
  "SVC-L010": { file: "README.md", kind: "template", word: "untouched" },
  "SVC-P012": { file: "app.js", kind: "dynamic-code", word: "eval" },
};

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

/** The base package with an example put over it. */
function packageWith({ form, text }, fact) {
  const manifest = form === "manifest" ? merged(JSON.parse(base.manifest), JSON.parse(text)) : JSON.parse(base.manifest);
  const files = new Map(filesOf(base.files));
  if (form === "files" && text.startsWith("- ")) files.delete(text.slice(2));
  else if (form === "files") for (const [path, content = ""] of filesOf(text)) files.set(path, content);
  const paths = [...files.keys()].sort();
  const pictures = manifest.icons.filter(({ src }) => files.has(src)).map(({ src }) => pictureOf(src, files.get(src)));
  const facts = [...pictures.flat(), ...(fact === undefined ? [] : [{ count: 1, ...fact }])];
  return packageOf(manifest, paths.map((path) => ({ digest: digestBytes(new Uint8Array()), mediaType: "text/plain", path, size: 1 })), facts);
}

function pictureOf(file, content) {
  const bytes = Buffer.from(content.startsWith("hex:89504e47") ? content.slice(4) : "", "hex");
  if (bytes.length === 0) return [];
  return [{ count: 1, file, kind: "image", subject: `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, word: "png" }];
}

test("every rule with a check fires on its example and passes on the other", () => {
  const tried = new Set();
  for (const { code, fires, passes } of rules) {
    if (CHECKS[code] === undefined || fires.form === "case") continue;
    const found = (example, fact) => findingsOf(packageWith(example, fact)).filter(({ rule }) => rule === code);
    assert.notDeepEqual(found(fires, SEEN[code]), [], `${code} does not fire`);
    assert.deepEqual(found(passes), [], `${code} fires on what passes`);
    tried.add(code);
  }
  const byCase = ["SVC-F004", "SVC-F005"];
  assert.deepEqual([...tried, ...byCase].sort(), Object.keys(CHECKS).sort());
  assert.equal(Object.keys(CHECKS).every((code) => Object.hasOwn(RULES, code)), true);
});

test("sizes and numbers of files have their bounds", () => {
  const manifest = JSON.parse(base.manifest);
  const codes = (files) => findingsOf(packageOf(manifest, files)).map(({ rule }) => rule);
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
  const needs = (...given) => new Set(findingsOf(packageOf(manifest, ...given)).map(({ rule }) => RULES[rule].needs));
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
