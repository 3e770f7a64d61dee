// The examples of the README and of the guides: all of them, and how to run them, each in a folder with a bundle and a key,
// against a registry.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "./kit.mjs";

const sdk = join(repository, "sdk/typescript");
const PAGES = ["sdk/typescript/README.md", "docs/guides/sdk.md", "docs/guides/following.md"];
/** `js` is run to its end; `mts` is a program that serves, which test/receivers.mjs starts. */
const CODE = ["js", "mts", "ts"];
const OTHERS = ["text", "console", "json", "sh", "py", "go"];

/** Every block of code, with the page it is on, its language, and the output that the page says it has. */
export function codeBlocks() {
  const blocks = PAGES.flatMap((page) => {
    const text = readFileSync(join(repository, page), "utf8");
    const fenced = [...text.matchAll(/^```(\w*)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms)];
    return fenced.map(([, language, code, output], at) => ({ name: `${page}, block ${at + 1}`, language, code, output }));
  });
  for (const { name, language } of blocks) assert.ok([...CODE, ...OTHERS].includes(language), `${name} is of a language that nobody checks: ${language}`);
  return blocks.filter(({ language }) => CODE.includes(language));
}

/** An empty folder below which the SDK is a package like any other. */
export function exampleFolder() {
  const parent = mkdtempSync(join(tmpdir(), "svc-sdk-readme-"));
  const folder = join(parent, "bundle");
  mkdirSync(folder);
  mkdirSync(join(parent, "node_modules/@svc"), { recursive: true });
  symlinkSync(sdk, join(parent, "node_modules/@svc/registry-sdk"));
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) };
}

/** Runs every example, and expects what its page says. */
export async function runExamples(folder, registry) {
  const examples = codeBlocks().filter(({ language }) => language === "js");
  assert.equal(examples.length, 9);
  for (const [at, { name, code, output }] of examples.entries()) {
    assert.notEqual(output, undefined, `${name}: an example without its output`);
    const file = join(folder, `example-${at}.mjs`);
    writeFileSync(file, code.replace("http://127.0.0.1:8787", registry));
    const { said, complaint, status } = await run(file, folder);
    assert.equal(status, 0, `${name}: ${complaint}`);
    assert.equal(said, output, name);
  }
}

/** Runs a program to its end, while the registry in this one goes on. */
function run(file, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let [said, complaint] = ["", ""];
    child.stdout.on("data", (chunk) => (said += chunk));
    child.stderr.on("data", (chunk) => (complaint += chunk));
    child.on("error", reject);
    child.on("close", (status) => resolve({ said, complaint, status }));
  });
}
