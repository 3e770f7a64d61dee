// The examples of the README, and how to run them: each in a folder with a bundle and a key, against a registry.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "./kit.mjs";

const sdk = join(repository, "sdk/typescript");
const readme = readFileSync(join(sdk, "README.md"), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, code, output]) => ({ code, output }));

/** An empty folder below which the SDK is a package like any other. */
export function exampleFolder() {
  const parent = mkdtempSync(join(tmpdir(), "svc-sdk-readme-"));
  const folder = join(parent, "bundle");
  mkdirSync(folder);
  mkdirSync(join(parent, "node_modules/@svc"), { recursive: true });
  symlinkSync(sdk, join(parent, "node_modules/@svc/registry-sdk"));
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) };
}

/** Runs every example, and expects what the README says. */
export async function runExamples(folder, registry) {
  assert.equal(examples.length, 6);
  assert.equal(readme.match(/```js\n/g).length, examples.length, "an example without its output");
  for (const [at, { code, output }] of examples.entries()) {
    const file = join(folder, `example-${at}.mjs`);
    writeFileSync(file, code.replace("http://127.0.0.1:8787", registry));
    const { said, complaint, status } = await run(file, folder);
    assert.equal(status, 0, `example ${at + 1}: ${complaint}`);
    assert.equal(said, output, `example ${at + 1}`);
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
