// The cases: a stream of questions, each with what this package answers.

import { join } from "node:path";
import { ARTIFACTS } from "../../dist/index.js";
import { derive } from "../../dist/artifact/derive.js";
import { bytes, json, names, repository, valueOf } from "../../test/kit.mjs";
import { floods } from "./floods.mjs";
import { informed } from "./informed.mjs";
import { bytesChanged, mutated, spelled } from "./mutate.mjs";
import { everyChange, examplesOf } from "./packages.mjs";
import { reseal } from "./reseal.mjs";
import { resealed, resealedByEach } from "./resealed.mjs";
import { scraps, textOf, value } from "./text.mjs";

const encode = (text) => new TextEncoder().encode(text);

/** Reads what cases are made from: documents under rules that both sides have, every document of the kit, and one by rule. */
export function material() {
  const valid = Object.fromEntries(ARTIFACTS.map(({ kind, name }) => [kind, valueOf(name, "own-rules-valid")]));
  const attacks = ARTIFACTS.flatMap(({ kind, name }) => names(name).map((attack) => ({ kind, document: bytes(name, attack) })));
  const other = otherBundle(valid["svc-registry-index"]);
  const texts = json("vectors", "forms.json").texts.filter((text) => text.length < 300);
  const entries = names("lifecycle").map((name) => valueOf("lifecycle", name));
  const examples = examplesOf(join(repository, "contracts"));
  const kind = "svc-registry-submission";
  const ruled = resealedByEach(valid[kind], everyChange(examples)).map((it) => ({ kind, document: encode(JSON.stringify(it)) }));
  const flooded = floods(valid[kind], valid["svc-registry-index"]).map(({ kind, text }) => ({ kind, document: encode(text) }));
  const byRule = [...ruled, ...flooded];
  return { valid, other, attacks, byRule, texts, entries, examples };
}

/** The bundle of the second package of the index. */
function otherBundle(index) {
  const submission = index.entries[1].submission;
  const documents = { "svc-registry-submission": submission };
  for (const row of ARTIFACTS.filter((row) => row.source === "artifact")) {
    documents[row.kind] = derive(row.kind, documents[row.parent]);
  }
  const only = structuredClone(index);
  only.entries = [only.entries[1]];
  only.derivedFrom = [only.derivedFrom[1]];
  reseal(only);
  return { ...documents, "svc-registry-index": only };
}

/** One case. */
export function makeCase(from, random) {
  const roll = random.below(100);
  if (roll < 8) return { entry: entryOf(from, random) };
  if (roll < 12) return { bundle: bundleOf(from, random) };
  const kind = random.pick(ARTIFACTS).kind;
  return { kind, document: documentOf(from, kind, random, roll) };
}

function documentOf(from, kind, random, roll) {
  const base = random.chance(60) ? from.other[kind] : from.valid[kind];
  if (roll < 37) return spelled(resealed(base, random, from.examples), random);
  if (roll < 45) return spelled(informed(base, random), random);
  if (roll < 67) return spelled(mutated(base, random, from.texts), random);
  if (roll < 70) return spelled(base, random);
  if (roll < 84) return bytesChanged(encode(textOf(base, random)), random);
  if (roll < 88) return random.pick(from.attacks).document;
  if (roll < 94) return encode(scraps(random));
  return encode(textOf(value(random), random));
}

/** An entry of the kit changed, one of a changed index, or no entry at all. */
function entryOf(from, random) {
  const roll = random.below(100);
  if (roll < 45) return encode(textOf(mutated(random.pick(from.entries), random, from.texts), random));
  if (roll < 55) return bytesChanged(encode(textOf(random.pick(from.entries), random)), random);
  if (roll < 60) return encode(scraps(random));
  const index = random.chance(50) ? from.other : from.valid;
  const entry = random.pick(resealed(index["svc-registry-index"], random, from.examples).entries);
  if (random.chance(40)) delete entry[random.pick(["scope", "submissionDigest"])];
  if (random.chance(20)) return encode(textOf(random.chance(50) ? entry.submission : entry.submission.packageArtifact.manifest, random));
  if (random.chance(30)) entry[random.pick(["id", "kind", "stage", "signature", "addedBy"])] = random.pick(["listing", "review-report", 7, { accepted: random.chance(50) }]);
  if (random.chance(30)) delete entry.submission[random.pick(Object.keys(entry.submission))];
  return encode(textOf(entry, random));
}

/** Seven files of two bundles, some changed with digests that fit, now and then one left out. */
function bundleOf(from, random) {
  const main = random.chance(50) ? from.valid : from.other;
  const second = main === from.valid ? from.other : from.valid;
  const files = {};
  for (const { kind, file } of ARTIFACTS) {
    if (random.chance(1)) continue;
    let document = random.chance(5) ? second[kind] : main[kind];
    if (random.chance(8)) document = informed(document, random);
    files[file] = encode(textOf(document, random));
  }
  return files;
}
