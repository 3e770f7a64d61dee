// The model that a page builds is the one of `svc app report`, and its verdict the one of `svc app verify`.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { described, filesIn, makeBundles, modelModule, replaced, scratch, verdictOf, writeBundle } from "./bundles.mjs";
import { modelOf, runSvc } from "./pages.mjs";
import { readFileSync } from "node:fs";

let work;
let made;
let web;
before(async () => {
  work = scratch();
  made = makeBundles(work.folder);
  web = await modelModule(work.folder);
});
after(() => work?.remove());

/** What the SDK says of a folder, in the same words. */
function checked(folder) {
  const found = web.verifyBundle(filesIn(folder));
  const fileOf = (kind) => `${kind}.json`;
  return {
    valid: found.ok,
    ...(found.ok || found.brokenEdge === undefined ? {} : { brokenEdge: [fileOf(found.brokenEdge.parent), fileOf(found.brokenEdge.child)] }),
    findings: (found.ok ? found.warnings : found.findings.filter(({ severity }) => severity === "error")).map(({ file, pointer, rule }) => `${file} ${rule} ${pointer}`).sort(),
  };
}

test("a bundle with any document of the kit in it has the verdict of svc app verify", () => {
  const bundles = [...described(), ...replaced()];
  let refused = 0;
  for (const [at, { name, files }] of bundles.entries()) {
    const folder = writeBundle(join(work.folder, `kit-${at}`), files);
    const expected = verdictOf(folder);
    if (!expected.valid) refused += 1;
    assert.deepEqual(checked(folder), expected, name);
  }
  assert.ok(refused > 300 && bundles.length - refused >= 8, `${refused} of ${bundles.length} are refused`);
});

/** The report of svc, and the same built here. */
function both(bundle, older) {
  runSvc(work.folder, "app", "report", bundle, "--out", "report.html", ...(older === undefined ? [] : ["--against", older]));
  const theirs = modelOf(readFileSync(join(work.folder, "report.html"), "utf8"));
  const [own, before] = [bundle, older].map((folder) => (folder === undefined ? undefined : web.verifyBundle(filesIn(folder))));
  return { theirs, ours: JSON.parse(JSON.stringify(web.reportOf(own, before))) };
}

/** The rules of svc say more of a place than a report holds, so messages and help may be in other words. */
const withoutMessages = (model) => ({ ...model, findings: { ...model.findings, rows: model.findings.rows.map(({ message: _, help: __, ...row }) => row) } });

test("the model of a page is the one of svc app report", () => {
  const kit = described().filter(({ valid }) => valid).map(({ name, files }) => writeBundle(join(work.folder, `report-${name}`), files));
  assert.ok(kit.length >= 2);
  for (const bundle of [...kit, made.plain, made.minimal, made.blocked, made.many]) {
    const { theirs, ours } = both(bundle);
    assert.deepEqual(withoutMessages(ours), withoutMessages(theirs), bundle);
    for (const [at, row] of ours.findings.rows.entries()) assert.ok(row.message.length > 5 && theirs.findings.rows[at].code === row.code);
  }
});

test("so is what changed", () => {
  for (const [bundle, older] of [[made.blocked, made.plain], [made.plain, made.blocked], [made.many, made.plain], [made.minimal, made.plain]]) {
    const { theirs, ours } = both(bundle, older);
    assert.ok(theirs.difference.changes.length > 3);
    assert.deepEqual(ours.difference, theirs.difference, `${bundle} against ${older}`);
    assert.deepEqual(ours.notLookedAt, theirs.notLookedAt);
  }
});

test("a text that moves or hides text is spelled out, and a long one is cut", () => {
  assert.equal(web.escaped("a\u202eb\n\u200b"), "a\\u{202e}b\\u{a}\\u{200b}");
  assert.equal(web.escaped("☀\ufe0f 日本"), "☀\ufe0f 日本");
  assert.match(web.plain("é".repeat(65_536)), /^é{2000}… \(63,536 more characters\)$/);
});

test("a text in which the report saw a secret is not shown", () => {
  const secret = ["AKIA", "Q3EGRVWZ7HTMNXKD"].join("");
  const shown = web.shownOf({ summary: `Sends ${secret} along.`, name: "Fine" }, [{ kind: "secret", word: "cloud-key", subject: "summary", count: 1 }]);
  assert.equal(shown(`Sends ${secret} along.`), "(not shown: it looks like a secret)");
  assert.equal(shown(`{"summary":"Sends ${secret} along."}`), "(not shown: it looks like a secret)");
  assert.equal(shown("Fine"), "Fine");
});
