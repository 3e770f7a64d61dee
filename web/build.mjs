// Builds the committed bundle from src/, with the tools of sdk/typescript: after `npm ci` there, `node web/build.mjs`.
// With --check it writes nothing, and fails when the bundle is not what the sources give.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundled, consolePage, folder, tools } from "./bundling.mjs";

const isCheck = process.argv.includes("--check");

const compiled = spawnSync(process.execPath, [join(tools, "node_modules/typescript/bin/tsc"), "--project", join(folder, "tsconfig.json")], { stdio: "inherit" });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

const BUNDLE = [
  ["report.js", () => bundled("src/report/main.ts")],
  ["report.css", () => bundled("src/report/report.css")],
  ["console.js", () => bundled("src/console/main.ts")],
  ["console.css", () => bundled("src/console/console.css")],
  ["console.html", consolePage],
];
let stale = 0;
mkdirSync(join(folder, "bundle"), { recursive: true });
for (const [name, make] of BUNDLE) {
  const path = join(folder, "bundle", name);
  const text = await make();
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
  if (isCheck) {
    console.error(`web/bundle/${name} is not what web/src gives: run node web/build.mjs`);
    stale += 1;
  } else {
    writeFileSync(path, text);
    console.log(`wrote web/bundle/${name}, ${Buffer.byteLength(text)} bytes`);
  }
}
if (stale > 0) process.exit(1);
