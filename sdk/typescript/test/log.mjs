// A log of our own, made with the platform's tools alone: what a registry keeps, for tests to serve and to forge.

import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { canonicalize } from "../dist/index.js";

export const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();
export const digest = (hash) => `sha256:${hash.toString("hex")}`;
export const leafOf = (record) => sha256([0], canonicalize(record));

const node = (left, right) => sha256([1], left, right);
const split = (size) => 2 ** Math.floor(Math.log2(size - 1));

/** The key of a log, by the one byte that its secret is made of. */
export function makeKey(name, byte, type = 1) {
  const secret = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, byte)]),
    format: "der",
    type: "pkcs8",
  });
  const typed = Buffer.concat([Buffer.of(type), createPublicKey(secret).export({ format: "der", type: "spki" }).subarray(-32)]);
  const id = sha256(`${name}\n`, typed).subarray(0, 4);
  return { name, id, publicKey: `${name}+${id.toString("hex")}+${typed.toString("base64")}`, sign: (text) => sign(null, Buffer.from(text), secret) };
}

export function rootOf(leaves) {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0];
  const at = split(leaves.length);
  return node(rootOf(leaves.slice(0, at)), rootOf(leaves.slice(at)));
}

export function pathOf(leaves, place) {
  if (leaves.length === 1) return [];
  const at = split(leaves.length);
  const [left, right] = [leaves.slice(0, at), leaves.slice(at)];
  return place < at ? [...pathOf(left, place), rootOf(right)] : [...pathOf(right, place - at), rootOf(left)];
}

/** A log that records can be added to. */
export class Log {
  records = [];
  leaves = [];

  constructor({ name = "svc-journal-test", byte = 7 } = {}) {
    this.key = makeKey(name, byte);
    this.publicKey = this.key.publicKey;
  }

  add(record) {
    this.records.push(record);
    this.leaves.push(leafOf(record));
    return record;
  }

  /** The same log up to here, to go on in another way. */
  fork(size = this.leaves.length) {
    const other = Object.assign(Object.create(Log.prototype), this);
    return Object.assign(other, { records: this.records.slice(0, size), leaves: this.leaves.slice(0, size) });
  }

  note(size, root, { name, id, sign } = this.key) {
    const text = `${name}\n${size}\n${root.toString("base64")}\n`;
    return `${text}\n\u2014 ${name} ${Buffer.concat([id, sign(text)]).toString("base64")}\n`;
  }

  checkpoint(size = this.leaves.length) {
    return this.note(size, rootOf(this.leaves.slice(0, size)));
  }

  /** The proof of a record as text. */
  textProof(place, record = this.records[place], checkpoint = this.checkpoint()) {
    const path = pathOf(this.leaves.slice(0, Number(checkpoint.split("\n")[1])), place).map((hash) => `${hash.toString("base64")}\n`).join("");
    const extra = record === undefined ? "" : `extra ${Buffer.from(canonicalize(record)).toString("base64")}\n`;
    return `c2sp.org/tlog-proof@v1\n${extra}index ${place}\n${path}\n${checkpoint}`;
  }

  /** A checkpoint, the newest unless given, with the line of a witness. */
  cosigned(witness, time = 1_767_225_600, note = this.checkpoint()) {
    const [stamp, body] = [Buffer.alloc(8), note.slice(0, note.indexOf("\n\n") + 1)];
    stamp.writeBigUInt64BE(BigInt(time));
    const signature = witness.sign(`cosignature/v1\ntime ${time}\n${body}`);
    return `${note}\u2014 ${witness.name} ${Buffer.concat([witness.id, stamp, signature]).toString("base64")}\n`;
  }

  receipt(place = this.leaves.length - 1, size = this.leaves.length) {
    const leaves = this.leaves.slice(0, size);
    return {
      checkpoint: this.checkpoint(size),
      index: place,
      leafHash: digest(leaves[place]),
      proof: pathOf(leaves, place).map(digest),
      record: this.records[place],
      rootHash: digest(rootOf(leaves)),
      treeSize: size,
    };
  }

  /** The hashes or the records of a tile; nothing where the log is shorter. */
  tile(path) {
    if (path.startsWith("tile/entries/")) return this.entryTile(path);
    const [, level, name, width = "256"] = /^tile\/(\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path);
    const start = Number(name.replaceAll(/[x/]/g, "")) * 256;
    const leaves = 256 ** Number(level);
    const end = (start + Number(width)) * leaves;
    if (end > this.leaves.length) return undefined;
    return Buffer.concat(Array.from({ length: Number(width) }, (_, at) => rootOf(this.leaves.slice((start + at) * leaves, (start + at + 1) * leaves))));
  }
  entryTile(path) {
    const [, name, width = "256"] = /^tile\/entries\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path);
    const first = Number(name.replaceAll(/[x/]/g, "")) * 256;
    const records = this.records.slice(first, first + Number(width));
    return records.length < Number(width) ? undefined : Buffer.concat(records.map(entryOf));
  }
}

/** A record behind its length. */
export function entryOf(record) {
  const bytes = Buffer.from(canonicalize(record));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
