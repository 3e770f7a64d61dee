// Feeds random and changed documents to this package and to the Rust core and compares verdict, findings and digest.
//
//   node scripts/differential.mjs [COUNT] [SEED]
//
// SVC_JUDGE names the judge's program; without it cargo runs it. SVC_CAMPAIGN names a folder for the record of a campaign.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { CHECKS } from "../dist/rules/run.js";
import { makeCase, material } from "./differential/cases.mjs";
import { disagreement } from "./differential/compare.mjs";
import { makeProof, proofMaterial } from "./differential/proofs.mjs";
import { Random } from "./differential/random.mjs";

const BATCH = 100;

/**
 * Every rule of the reader, of artifacts and of packages that a document or bundle of this size can break, once enough were
 * tried. Ten thousand files are more than a case has.
 */
const ENOUGH = 2000;
const EXPECTED_RULES = [
  ..."12345678".split("").map((digit) => `SVC-J00${digit}`),
  ..."123456789".split("").map((digit) => `SVC-B00${digit}`),
  ..."0123457".split("").map((digit) => `SVC-B01${digit}`),
  ...Object.keys(CHECKS).filter((rule) => rule !== "SVC-F005"),
  ...["SVC-M030", "SVC-M031"],
];

/** Every reason why a receipt proves nothing, in the same way. */
const EXPECTED_FAULTS = [
  "malformed", "not-a-refusal", "other-place", "other-leaf", "malformed-checkpoint", "unknown-key", "bad-signature", "other-tree",
  "bad-path", "other-answer",
];
const repository = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const count = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? 0x5ec0de);

const [program, ...parameters] = process.env.SVC_JUDGE
  ? [process.env.SVC_JUDGE, "judge"]
  : ["cargo", "xtask", "judge"];
const judge = spawn(program, parameters, { cwd: repository, stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve, reject) => {
  judge.on("error", reject);
  judge.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`the judge ended with ${code}`))));
});
const lines = createInterface({ input: judge.stdout })[Symbol.asyncIterator]();

const from = material();
const proofs = proofMaterial();
const random = new Random(seed);
const found = [];
const rules = new Set();
const faults = new Set();
const counts = { documents: 0, valid: 0, packages: 0, bundles: 0, "lifecycle entries": 0, receipts: 0, proven: 0, records: 0, checkpoints: 0 };

// Every document and receipt of the kit and one document for each rule, so that none is left to chance; then as many
// documents of chance as were asked for, and a quarter as many receipts, records and checkpoints.
const fixed = [...from.attacks, ...from.byRule, ...proofs.kit];
const whole = fixed.length + count + Math.ceil(count / 4);
for (let done = 0; done < whole; ) {
  const length = Math.min(BATCH, whole - done);
  const batch = Array.from({ length }, (_, at) => fixed[done + at] ?? chance(done + at));
  judge.stdin.write(batch.map((question) => `${JSON.stringify(encoded(question))}\n`).join(""));
  for (const question of batch) {
    const { value, done: silent } = await lines.next();
    if (silent) {
      await ended;
      throw new Error("the judge left a question without an answer");
    }
    const judged = JSON.parse(value);
    tally(question, judged);
    rulesOf(judged).forEach((rule) => rules.add(rule));
    if (question.receipt !== undefined && judged.fault !== undefined) faults.add(judged.fault);
    const difference = await disagreement(question, judged);
    if (difference !== undefined) found.push({ question: encoded(question), ...difference });
  }
  done += batch.length;
}
judge.stdin.end();
await ended;

const said = Object.entries(counts).map(([what, number]) => `${number} ${what}`).join(", ");
console.log(`seed ${seed}: ${said}; ${found.length} disagreements`);
for (const { mine, theirs, question } of found.slice(0, 5)) {
  console.log(`\nTypeScript: ${mine}\nRust:       ${theirs}\nquestion:   ${JSON.stringify(question).slice(0, 400)}`);
}
// Agreement means something only about what was tried.
const untried =
  count < ENOUGH ? [] : [...EXPECTED_RULES.filter((rule) => !rules.has(rule)), ...EXPECTED_FAULTS.filter((fault) => !faults.has(fault))];
if (untried.length > 0) console.log(`nothing was refused for ${untried.join(", ")}`);
record();
const tried = counts.documents > 0 && counts.valid > 0 && counts.receipts > 0 && counts.proven > 0;
process.exit(found.length === 0 && untried.length === 0 && tried ? 0 : 1);

/** The case at a place behind the fixed ones. */
function chance(at) {
  return at < fixed.length + count ? makeCase(from, random) : makeProof(proofs, random);
}

/** The rules that an answer names, also those that a refused package broke. */
function rulesOf({ findings = [], packages = [], warnings = [] }) {
  const found = [...findings, ...warnings, ...packages.flatMap((judged) => judged.findings)];
  return found.flatMap((finding) => JSON.stringify(finding).match(/SVC-[A-Z][0-9]{3}/g) ?? []);
}

function encoded(question) {
  const base64 = (bytes) => Buffer.from(bytes).toString("base64");
  if (question.receipt !== undefined) return { receipt: base64(question.receipt), keys: question.keys };
  if (question.checkpoint !== undefined) return { checkpoint: base64(question.checkpoint), keys: question.keys };
  if (question.record !== undefined) return { record: base64(question.record) };
  if (question.entry !== undefined) return { entry: base64(question.entry) };
  if (question.bundle !== undefined) {
    return { bundle: Object.fromEntries(Object.entries(question.bundle).map(([file, bytes]) => [file, base64(bytes)])) };
  }
  return { kind: question.kind, document: base64(question.document) };
}

function tally(question, judged) {
  if (question.receipt !== undefined) {
    counts.receipts += 1;
    if (judged.fault === undefined) counts.proven += 1;
  } else if (question.checkpoint !== undefined) counts.checkpoints += 1;
  else if (question.record !== undefined) counts.records += 1;
  else if (question.entry !== undefined) counts["lifecycle entries"] += 1;
  else if (question.bundle !== undefined) counts.bundles += 1;
  else {
    counts.documents += 1;
    if (judged.digest !== undefined) counts.valid += 1;
    counts.packages += judged.packages?.length ?? 0;
  }
}

function record() {
  if (process.env.SVC_CAMPAIGN === undefined) return;
  mkdirSync(process.env.SVC_CAMPAIGN, { recursive: true });
  const page = {
    counts: Object.entries(counts),
    found: found.map(({ mine, theirs }) => `TypeScript ${mine} Rust ${theirs}`),
    seed: String(seed),
    tried: "random and changed documents, bundles, entries, receipts, records and checkpoints, read by Rust and by the TypeScript SDK: the reason why a receipt proves nothing; verdict, every finding with its pointer and message, digest; stage, verdict, blockers and findings of every package",
  };
  writeFileSync(join(process.env.SVC_CAMPAIGN, "differential.json"), JSON.stringify(page));
}
