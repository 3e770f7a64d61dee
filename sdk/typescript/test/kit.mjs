// Where the conformance kit and the examples are, and how to read them. The one reader of the kit's rows in JavaScript;
// `conformance/README.md` says what they mean.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = join(dirname(fileURLToPath(import.meta.url)), "../../..");
export const kit = join(repository, "conformance");

const files = new Map();
const parsed = (path) => {
  if (!files.has(path)) files.set(path, JSON.parse(readFileSync(join(kit, path), "utf8")));
  return files.get(path);
};

/** A file of the kit that is no table. */
export const json = (...path) => structuredClone(parsed(join(...path)));
export const contract = (file) => readFileSync(join(repository, "contracts", file), "utf8");

const row = (table, name) => {
  const found = parsed(`${table}.json`).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no case ${table}.json#${name}`);
  return found;
};

/** The names of the cases of a table, sorted. */
export const names = (table) => parsed(`${table}.json`).map(({ name }) => name).sort();
/** What a case expects. */
export const expectation = (table, name) => structuredClone(row(table, name).expect);
/** The bytes of a case, of the document that is its parent, or of `TABLE.json#NAME`. */
export const bytes = (table, name) => document(row(table, name));
export const parentOf = (table, name) => document({ base: row(table, name).parent });
export const named = (id) => bytes(...id.split(".json#"));
/** The value of a case that is JSON. */
export const valueOf = (table, name) => JSON.parse(new TextDecoder().decode(bytes(table, name)));
/** A text of a case: its policy or its checkpoint. */
export const textOf = (table, name, member) => made(row(table, name)[member]);

/** The bundle of good documents, by file name: under the rules of the kit, or `own-rules-valid`, under those of this version. */
export function exampleBundle(artifacts, name = "valid") {
  return Object.fromEntries(artifacts.map((artifact) => [artifact.file, bytes(artifact.name, name)]));
}

/** What a source gives: a text as it is, joined texts, a value, or a copy of a part of a base document. */
export function made(source) {
  if (typeof source === "string") return source;
  if (source.join !== undefined) return source.join.map(made).join("");
  if (source.copy === undefined) return structuredClone(source.value);
  const [name, pointer = ""] = source.copy.split("#");
  return structuredClone(pointer.split("/").slice(1).reduce((part, step) => part[step], parsed(`documents/${name}.json`)));
}

function edited({ base, edits = [], computed = [] }) {
  const root = [made({ copy: base })];
  for (const edit of [...edits, ...computed]) {
    const path = ["0", ...(edit.at ?? edit.insert ?? edit.remove).split("/").slice(1)];
    const last = path.pop();
    const around = path.reduce((part, step) => part[step], root);
    if (edit.insert !== undefined) around.splice(Number(last), 0, made(edit));
    else if (edit.at !== undefined) around[last] = made(edit);
    else if (Array.isArray(around)) around.splice(Number(last), 1);
    else delete around[last];
  }
  return root[0];
}

function document(row) {
  const [start, end, inserted] = row.splice ?? [0, 0, ""];
  const whole = Buffer.from(`${JSON.stringify(sorted(edited(row)), null, 2)}\n`);
  return new Uint8Array(Buffer.concat([whole.subarray(0, start), Buffer.from(inserted), whole.subarray(end)]));
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}
