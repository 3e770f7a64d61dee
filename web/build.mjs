// Builds the committed bundle from src/, with the tools of sdk/typescript: after `npm ci` there, `node web/build.mjs`.
// With --check it writes nothing, and fails when the bundle is not what the sources give.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const tools = join(folder, "../sdk/typescript");
const { build } = createRequire(join(tools, "package.json"))("esbuild");
const isCheck = process.argv.includes("--check");

const compiled = spawnSync(process.execPath, [join(tools, "node_modules/typescript/bin/tsc"), "--project", join(folder, "tsconfig.json")], { stdio: "inherit" });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

const options = {
  absWorkingDir: folder,
  bundle: true,
  charset: "utf8",
  format: "iife",
  legalComments: "none",
  minify: true,
  target: ["chrome109", "firefox115", "safari16"],
  write: false,
};
let stale = 0;
mkdirSync(join(folder, "bundle"), { recursive: true });
for (const [source, name] of [["src/report/main.ts", "report.js"], ["src/report/report.css", "report.css"]]) {
  const { outputFiles } = await build({ ...options, entryPoints: [source] });
  const path = join(folder, "bundle", name);
  const text = outputFiles[0].text.trimEnd();
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
