// Type tests: what must not compile does not, and a strict project of somebody else compiles and runs. So does every
// example of the README and of the guide compile; `npm test` runs them.
//
// All see the package as it is published: packed, and put into a node_modules of their own.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeBlocks } from "../test/readme.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tsc = join(root, "node_modules/typescript/bin/tsc");
const folder = mkdtempSync(join(tmpdir(), "svc-sdk-types-"));
const strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022", "--skipLibCheck", "false"];

try {
  const installed = join(folder, "node_modules/@svc/registry-sdk");
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, "package.json"), join(installed, "package.json"));
  cpSync(join(root, "dist"), join(installed, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  cpSync(join(root, "test/types/closed.ts"), join(folder, "closed.ts"));
  cpSync(join(root, "test/consumer/main.ts"), join(folder, "main.ts"));
  for (const resolution of [["--module", "nodenext"], ["--module", "esnext", "--moduleResolution", "bundler"]]) {
    const options = [...strict, ...resolution, "--resolveJsonModule", "--lib", "es2022,dom"];
    expect(compile(["--noEmit", ...options, "closed.ts", "main.ts"]), 0, `strict consumers (${resolution.join(" ")})`);
  }
  compilesWithTheOldestCompiler();
  suggestsTheRightStage();
  isNotVacuous();
  documentedExamplesCompile();
  expect(compile([...strict, "--module", "nodenext", "--resolveJsonModule", "main.ts"]), 0, "the consumer's build");
  const run = spawnSync(process.execPath, ["main.js"], { cwd: folder, encoding: "utf8" });
  if (run.status !== 0 || !run.stdout.startsWith("SVC-B001 422 error 5")) throw new Error(`the consumer said: ${run.stdout}${run.stderr}`);
  console.log("type tests passed");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The published types compile with the oldest TypeScript that the README names, whose `dom` has no iterables of its own. */
function compilesWithTheOldestCompiler() {
  const oldest = join(root, "node_modules/typescript-5.7/bin/tsc");
  const parameters = ["--noEmit", "--pretty", "false", ...strict, "--module", "nodenext", "--resolveJsonModule", "--lib", "es2022,dom,dom.iterable"];
  const compiled = spawnSync(process.execPath, [oldest, ...parameters, "closed.ts", "main.ts"], { cwd: folder, encoding: "utf8" });
  expect(compiled, 0, "strict consumers with TypeScript 5.7");
}

/** The compiler names the stage that was meant. */
function suggestsTheRightStage() {
  writeFileSync(join(folder, "typo.ts"), 'import type { Stage } from "@svc/registry-sdk";\nexport const stage: Stage = "showcase-previw";\n');
  const typo = compile(["--noEmit", ...strict, "--module", "nodenext", "typo.ts"]);
  if (typo.status === 0 || !typo.stdout.includes(`Did you mean '"showcase-preview"'`)) throw new Error(`no suggestion: ${typo.stdout}`);
}

/** Without its marks the file has an error on each marked line, so none of the marks is idle. */
function isNotVacuous() {
  const text = readFileSync(join(root, "test/types/closed.ts"), "utf8");
  const marks = text.match(/@ts-expect-error/g).length;
  writeFileSync(join(folder, "open.ts"), text.replaceAll("@ts-expect-error", "expected:"));
  const open = compile(["--noEmit", ...strict, "--module", "nodenext", "open.ts"]);
  const lines = new Set([...open.stdout.matchAll(/open\.ts[:(](\d+)/g)].map(([, line]) => line));
  if (lines.size !== marks) throw new Error(`${marks} marks, errors on ${lines.size} lines:\n${open.stdout}`);
}

/** Every example compiles as it stands, but for those that show an error: they have that error. */
function documentedExamplesCompile() {
  const blocks = codeBlocks();
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types"), "--lib", "es2022,dom", "--module", "nodenext"];
  for (const [at, { name, code }] of blocks.entries()) {
    const file = `example-${at}.ts`;
    writeFileSync(join(folder, file), code);
    const compiled = compile(["--noEmit", ...strict, ...types, file]);
    const [, shown] = /^\/\/ +~+ (.*)$/m.exec(code) ?? [];
    if (shown === undefined) expect(compiled, 0, name);
    else if (compiled.status === 0 || !compiled.stdout.includes(shown)) throw new Error(`${name}: not the error that it shows: ${compiled.stdout}`);
  }
  console.log(`${blocks.length} examples compile`);
}

function compile(parameters) {
  return spawnSync(process.execPath, [tsc, "--ignoreConfig", "--pretty", "false", ...parameters], { cwd: folder, encoding: "utf8" });
}

function expect({ status, stdout, stderr }, expected, what) {
  if (status !== expected) throw new Error(`${what}: ${stdout}${stderr}`);
}
