// Prints the stages of an index as `svc lifecycle` does, without its lines Package and Yours: node print.mjs INDEX

import { readFileSync } from "node:fs";
import { linesOf, readCatalog } from "./words.mjs";

const catalog = readCatalog(new Uint8Array(readFileSync(process.argv[2] ?? 0)));
if (catalog.ok) process.stdout.write(catalog.entries.map(linesOf).join(""));
else {
  // Text of a document can move a terminal about; escaped, it cannot.
  for (const { rule, pointer, message, help } of catalog.findings) console.error(JSON.stringify({ rule, pointer, message, help }));
  process.exitCode = 1;
}
