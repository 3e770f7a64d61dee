// Builds dist/: checks that the generated sources are current, compiles, and copies the contracts and licences.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const repository = join(root, "../..");

run(process.execPath, [join(root, "scripts/generate.mjs"), "--check"]);
rmSync(join(root, "dist"), { recursive: true, force: true });
run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", join(root, "tsconfig.json")]);
mkdirSync(join(root, "dist/contracts"), { recursive: true });
for (const file of ["hosted-registry-api-contract.json", "hosted-registry-readiness-contract.json", "lifecycle-catalog.json"]) {
  copyFileSync(join(repository, "contracts", file), join(root, "dist/contracts", file));
}
for (const file of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(repository, file), join(root, file));

function run(program, parameters) {
  const { status } = spawnSync(program, parameters, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
