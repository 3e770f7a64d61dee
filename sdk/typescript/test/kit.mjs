// Where the conformance kit and the examples are, and how to read them.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = join(dirname(fileURLToPath(import.meta.url)), "../../..");
export const kit = join(repository, "conformance");

export const bytes = (...path) => new Uint8Array(readFileSync(join(kit, ...path)));
export const json = (...path) => JSON.parse(readFileSync(join(kit, ...path), "utf8"));
export const names = (...path) => readdirSync(join(kit, ...path)).sort();
export const contract = (file) => readFileSync(join(repository, "contracts", file), "utf8");

/** The bundle that the kit was made from, by file name. */
export function exampleBundle(artifacts) {
  return Object.fromEntries(artifacts.map(({ file, name }) => [file, bytes(name, "valid", "document.json")]));
}
