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

/** The bundle of good documents, by file name: under the rules of the kit, or `own-rules-valid`, under those of this version. */
export function exampleBundle(artifacts, name = "valid") {
  return Object.fromEntries(artifacts.map((artifact) => [artifact.file, bytes(artifact.name, name, "document.json")]));
}
