// Receipts, records and checkpoints: those of the kit, and changed ones that a log of our own hashed and signed again.

import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { canonicalize } from "../../dist/index.js";
import { bytes, expectation, json, names, valueOf } from "../../test/kit.mjs";
import { bytesChanged, changed } from "./mutate.mjs";
import { textOf } from "./text.mjs";

const encode = (text) => new TextEncoder().encode(text);
const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();
const digest = (hash) => `sha256:${hash.toString("hex")}`;

/** A key of a log, made from one byte: the same every time. */
class Key {
  constructor(origin, seed) {
    this.origin = origin;
    const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
    this.secret = createPrivateKey({ key: Buffer.concat([prefix, Buffer.alloc(32, seed)]), format: "der", type: "pkcs8" });
    const raw = createPublicKey(this.secret).export({ format: "der", type: "spki" }).subarray(-32);
    const typed = Buffer.concat([Buffer.of(1), raw]);
    this.id = sha256(`${origin}\n`, typed).subarray(0, 4);
    this.public = `${origin}+${this.id.toString("hex")}+${typed.toString("base64")}`;
  }

  line(text) {
    const signature = sign(null, Buffer.from(text), this.secret);
    return `\u2014 ${this.origin} ${Buffer.concat([this.id, signature]).toString("base64")}\n`;
  }
}

const OWN = new Key("svc-journal-differential", 5);
const OLDER = new Key("svc-journal-differential", 6);
const STRANGER = new Key("svc-journal-differential", 7);
const ELSEWHERE = new Key("svc-journal-elsewhere", 5);
const KEYS = `${OWN.public}\n${OLDER.public}\n`;

/** Reads what cases are made from: every receipt of the kit, and the texts of its vectors. */
export function proofMaterial() {
  const kit = names("receipts").map((name) => ({
    receipt: bytes("receipts", name),
    keys: `${expectation("receipts", name).publicKeys.join("\n")}\n`,
  }));
  const answers = ["whole-decision", "whole-problem"].map((name) => valueOf("receipts", name));
  const texts = json("vectors", "forms.json").texts.filter((text) => text.length < 300);
  return { kit, answers, texts };
}

/** One case. */
export function makeProof(from, random) {
  const roll = random.below(100);
  if (roll < 15) return { record: recordBytes(from, random) };
  if (roll < 35) return { checkpoint: checkpointOf(1 + random.below(9), sha256("x"), random), keys: KEYS };
  if (roll < 42) {
    const { receipt, keys } = random.pick(from.kit);
    return { receipt: bytesChanged(receipt, random), keys };
  }
  return { receipt: receiptBytes(from, random), keys: KEYS };
}

/** A record: as it is, changed by somebody who knows the form, or anyhow. */
function recordOf(from, random) {
  const { record } = structuredClone(random.pick(from.answers).receipt);
  const roll = random.below(100);
  if (roll < 45) return record;
  if (roll < 85) {
    random.pick(RECORD_CHANGES)(record, random);
    return record;
  }
  return changed(record, random, from.texts);
}

function recordBytes(from, random) {
  const record = recordOf(from, random);
  if (random.chance(15)) return encode(textOf(record, random));
  return random.chance(15) ? bytesChanged(encode(canonical(record)), random) : encode(canonical(record));
}

/** A receipt or a whole answer, hashed and signed again behind most of its changes. */
function receiptBytes(from, random) {
  const { receipt: _, ...answer } = structuredClone(random.pick(from.answers));
  const said = random.chance(25) ? changed(answer, random, from.texts) : answer;
  const record = recordOf(from, random);
  const whole = random.chance(50);
  if (whole && random.chance(85) && isObject(record)) record.answerDigest = digest(sha256(canonical(said)));
  const receipt = sealed(record, random);
  const roll = random.below(100);
  if (roll < 25) random.pick(RECEIPT_CHANGES)(receipt, random);
  else if (roll < 40) Object.assign(receipt, changed(receipt, random, from.texts));
  const file = whole && isObject(said) ? { ...said, receipt } : receipt;
  const bytes = encode(textOf(file, random));
  return random.chance(8) ? bytesChanged(bytes, random) : bytes;
}

/** The receipt of a record in a tree of up to eight, at the place that it names where that is one. */
function sealed(record, random) {
  const size = 1 + random.below(8);
  const named = Number.isSafeInteger(record?.sequence) && record.sequence >= 0 ? record.sequence : 0;
  const place = random.chance(90) ? named % size : random.below(size);
  if (isObject(record) && random.chance(90)) record.sequence = place;
  const leaves = Array.from({ length: size }, (_, at) => sha256([0], at === place ? canonical(record) : `leaf ${at}`));
  const root = rootOf(leaves);
  return {
    checkpoint: random.chance(75) ? signed(size, root) : checkpointOf(size, root, random),
    index: place,
    leafHash: digest(leaves[place]),
    proof: pathOf(leaves, place).map(digest),
    record,
    rootHash: digest(root),
    treeSize: size,
  };
}

/** A checkpoint as the log signs it. */
function signed(size, root) {
  const text = `${OWN.origin}\n${size}\n${root.toString("base64")}\n`;
  return `${text}\n${OWN.line(text)}`;
}

/** A checkpoint, more often than not a good one: another text, then signed; or signed, then other lines. */
function checkpointOf(size, root, random) {
  const good = `${OWN.origin}\n${size}\n${root.toString("base64")}\n`;
  const text = random.chance(80) ? good : random.pick(TEXT_CHANGES)(good, random);
  const lines = random.chance(70) ? [OWN.line(text)] : random.pick(SIGNATURES)(text, good, random);
  const note = `${text}\n${lines.join("")}`;
  return random.chance(85) ? note : random.pick(NOTE_CHANGES)(note, random);
}

const TEXT_CHANGES = [
  (text) => text.replace(OWN.origin, ELSEWHERE.origin),
  (text) => text.replace(OWN.origin, ""),
  (text) => text.replace(OWN.origin, `${OWN.origin} `),
  (text) => text.replace(/\n\d+\n/, "\n9007199254740991\n"),
  (text) => text.replace(/\n\d+\n/, "\n9007199254740992\n"),
  (text) => text.replace(/\n\d+\n/, "\n18446744073709551615\n"),
  (text) => text.replace(/\n\d+\n/, "\n18446744073709551616\n"),
  (text) => text.replace(/\n(\d+)\n/, "\n0$1\n"),
  (text) => text.replace(/\n(\d+)\n/, "\n+$1\n"),
  (text) => text.replace(/\n(\d+)\n/, "\n-$1\n"),
  (text) => text.replace(/\n(\d+)\n/, "\n $1\n"),
  (text) => text.replace(/\n\d+\n/, "\n0\n"),
  (text) => text.replace(/\n\d+\n/, "\n\n"),
  (text) => text.replace("=\n", "\n"),
  (text) => text.replace(/.=\n$/, "B=\n"),
  (text) => text.replace(/=\n$/, "==\n"),
  (text) => `${text}an extension\n`,
  (text) => `${text}\n`,
  (text) => text.slice(0, -1),
  (text) => `\n${text}`,
  (text) => text.replaceAll("\n", "\r\n"),
];

const SIGNATURES = [
  () => [],
  (text) => [OWN.line(text), OWN.line(text)],
  (text, good) => [OWN.line(text), OWN.line(`${good}x`)],
  (text, good) => [OWN.line(`${good}x`), OWN.line(text)],
  (text) => [OLDER.line(text)],
  (text, good) => [OWN.line(text), OLDER.line(`${good}x`)],
  (text) => [STRANGER.line(text)],
  (text) => [STRANGER.line(text), OWN.line(text), ELSEWHERE.line(text)],
  (text) => [OWN.line(text).replace(OWN.origin, ELSEWHERE.origin)],
  (text) => [OWN.line(text), "\u2014 x AAAA\n"],
  (text) => [OWN.line(text), "\u2014 x AAAAAAA=\n"],
  (text) => [OWN.line(text), "\u2014 x AAAAAAB=\n"],
  (text) => [OWN.line(text), "\u2014 x+y AAAAAAA=\n"],
  (text) => [OWN.line(text), "\u2014 x y AAAAAAA=\n"],
  (text) => [OWN.line(text), "\u2014 x\u00a0y AAAAAAA=\n"],
  (text) => [OWN.line(text), "\u2014 x\u0085y AAAAAAA=\n"],
  (text) => [OWN.line(text), "\u2014 x\ufeffy AAAAAAA=\n"],
  (text) => [OWN.line(text), "\u2014 x\u180ey AAAAAAA=\n"],
  (text) => [OWN.line(text), "\u2014  AAAAAAA=\n"],
  (text) => [OWN.line(text), "- x AAAAAAA=\n"],
  (text) => [OWN.line(text), "no signature\n"],
  (text, good) => [OWN.line(`${good}x`), "no signature\n"],
  (text) => [OWN.line(text), "\n"],
  (text) => [OWN.line(text).slice(0, -1)],
  (text) => [OWN.line(text).replace(/=*\n$/, "\n")],
  (text) => [OWN.line(text).replace(/ ([^ ]{20})[^ ]*\n$/, " $1\n")],
  (text, _, random) => [OWN.line(text), ...Array.from({ length: 95 + random.below(12) }, () => "\u2014 x AAAAAAA=\n")],
];

const NOTE_CHANGES = [
  (note) => note.replace("\n\n", "\n"),
  (note) => note.replace("\n\n", "\n\n\n"),
  (note) => `${note}\n`,
  (note) => note.slice(0, -1),
  (note) => note.replace("\n", "\u007f\n"),
  (note) => note.replace("\n", "\t\n"),
  (note) => note.padEnd(4200, "x"),
  (note) => "",
  (note, random) => {
    const at = random.below(note.length);
    return `${note.slice(0, at)}${random.pick(["", "A", "=", " ", "\n", "\u2014", "+"])}${note.slice(at + 1)}`;
  },
];

const TIMES = [
  "2026-02-28T23:59:59.999Z", "2026-02-29T00:00:00.000Z", "2026-02-30T00:00:00.000Z", "2024-02-29T00:00:00.000Z", "2100-02-29T00:00:00.000Z",
  "2000-02-29T12:00:00.000Z", "2026-04-31T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-00-10T00:00:00.000Z", "2026-01-00T00:00:00.000Z",
  "2026-01-32T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01T23:60:00.000Z", "2026-06-30T23:59:60.000Z", "1970-01-01T00:00:00.000Z",
  "1969-12-31T23:59:59.999Z", "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "9999-12-31T24:00:00.000Z", "10000-01-01T00:00:00.000Z",
  "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.0000Z", "2026-01-01t00:00:00.000Z", "2026-01-01T00:00:00.000+00:00", "2026-01-01 00:00:00.000Z",
  "\uff12026-01-01T00:00:00.000Z", " 2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z\n",
];

const RECORD_CHANGES = [
  (it, random) => (it.time = random.pick(TIMES)),
  (it, random) => (it.time = random.pick(TIMES)),
  (it, random) => (it.time = `20${10 + random.below(90)}-${two(random.below(14))}-${two(random.below(33))}T${two(random.below(26))}:${two(random.below(62))}:${two(random.below(62))}.000Z`),
  (it) => (it.owner = "acme"),
  (it) => (it.token = "ci"),
  (it) => (it.package = { id: "dev.acme.weather-board", version: "1.2.0" }),
  (it, random) => (it.sequence = random.pick([-1, 0, 5, 9007199254740991, "1", null, true])),
  (it, random) => (it.requestId = random.pick(["", "a".repeat(64), "a".repeat(65), "a_b", "a b", "A-0", "\u00e9"])),
  (it, random) => (it.problem = random.pick(["posture-violation", "not-found", "wrong-kind", "no-such-code", "toString", "", null])),
  (it, random) => (it.outcome = random.pick(["denied", "refused", "accepted", ""])),
  (it) => it.missingGates.unshift("artifact-hash"),
  (it) => it.missingGates.shift(),
  (it) => (it.missingGates = it.missingGates.concat("renderer-isolation")),
  (it, random) => (it.operation = random.pick(["validate-index", "evaluate-acceptance-request", "no-such-operation", ""])),
  (it) => (it.artifact = {}),
  (it) => (it.artifact = { kind: "svc-registry-submission" }),
  (it) => (it.artifact = { kind: "svc-journal-record" }),
  (it) => (it.artifact = { digest: digest(sha256("a")), extra: 1 }),
  (it) => delete it.artifact,
  (it) => (it.bodyDigest = digest(sha256("a"))),
  (it) => delete it.bodyDigest,
  (it) => (it.decisionId = digest(sha256("a"))),
  (it) => delete it.decisionId,
  (it) => (it.decisionId = digest(sha256("a")).toUpperCase()),
  (it, random) => (it.reviewed = random.pick(["as-claimed", "without-facts", "read", "whole", "", null])),
  (it) => delete it.reviewed,
  (it) => (it.schemaVersion = "1.1"),
  (it) => (it.kind = "svc-registry-index"),
  (it, random) => (it[random.pick(["accepted", "installable", "signed"])] = random.pick([true, null, "false", 0])),
  (it) => delete it.answerDigest,
  (it) => (it.ruleset = digest(sha256("a"))),
];

const RECEIPT_CHANGES = [
  (it) => (it.index += 1),
  (it, random) => (it.index = random.pick([-1, 9007199254740991, "0", null])),
  (it) => (it.treeSize += 1),
  (it, random) => (it.treeSize = random.pick([-1, 0, 9007199254740991, null])),
  (it) => (it.rootHash = digest(sha256("a"))),
  (it) => (it.leafHash = digest(sha256("a"))),
  (it) => it.proof.pop(),
  (it) => it.proof.reverse(),
  (it) => it.proof.push(digest(sha256("a"))),
  (it, random) => (it.proof = Array.from({ length: 52 + random.below(4) }, () => digest(sha256("a")))),
  (it) => (it.proof = {}),
  (it) => (it.extra = 1),
  (it) => (it.record = null),
  (it) => (it.record = []),
  (it) => (it.receipt = structuredClone(it)),
  (it) => delete it.checkpoint,
  (it) => (it.checkpoint = ""),
  (it) => (it.record.requestId = "another"),
];

const two = (number) => String(number).padStart(2, "0");
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The RFC 8785 form; of a value that has none, any text. */
function canonical(value) {
  try {
    return canonicalize(value);
  } catch {
    return JSON.stringify(value) ?? "";
  }
}

const node = (left, right) => sha256([1], left, right);
const split = (size) => 2 ** Math.floor(Math.log2(size - 1));

function rootOf(leaves) {
  if (leaves.length === 1) return leaves[0];
  const at = split(leaves.length);
  return node(rootOf(leaves.slice(0, at)), rootOf(leaves.slice(at)));
}

function pathOf(leaves, place) {
  if (leaves.length === 1) return [];
  const at = split(leaves.length);
  const [left, right] = [leaves.slice(0, at), leaves.slice(at)];
  return place < at ? [...pathOf(left, place), rootOf(right)] : [...pathOf(right, place - at), rootOf(left)];
}
