// Every example of the README is run, and says what the README says.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { repository } from "../kit.mjs";
import { runSvc, startRegistry } from "./service.mjs";

const sdk = join(repository, "sdk/typescript");
const readme = readFileSync(join(sdk, "README.md"), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, code, output]) => ({ code, output }));
let folder;
let registry;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-sdk-readme-"));
  runSvc("app", "preflight", "examples/weather-board", "--visibility", "unlisted", "--owner-id", "acme", "--owner-name", "Acme Ltd", "--out-dir", folder, "--quiet");
  mkdirSync(join(folder, "node_modules/@svc"), { recursive: true });
  symlinkSync(sdk, join(folder, "node_modules/@svc/registry-sdk"));
  registry = await startRegistry();
  copyFileSync(join(registry.data, "journal.pub"), join(folder, "journal.pub"));
});
after(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("every example says what the README says", () => {
  assert.equal(examples.length, 6);
  assert.equal(readme.match(/```js\n/g).length, examples.length, "an example without its output");
  examples.forEach(({ code, output }, at) => {
    const file = join(folder, `example-${at}.mjs`);
    writeFileSync(file, code.replace("http://127.0.0.1:8787", registry.address));
    const { stdout, stderr, status } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
    assert.equal(status, 0, `example ${at + 1}: ${stderr}`);
    assert.equal(stdout, output, `example ${at + 1}`);
  });
});
