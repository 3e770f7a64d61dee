// What is published: exactly these files, the contracts byte for byte, no dependencies, within the size budget.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const repository = join(root, "../..");

/** Most bytes, minified and compressed: everything, and what an import of one name keeps. */
const BUDGETS = [
  ["everything", `export * from "./dist/index.js"`, 73_000],
  ["parseArtifact", `export { parseArtifact } from "./dist/index.js"`, 44_000],
  ["resolveSdkDistributionLifecycleStage", `export { resolveSdkDistributionLifecycleStage } from "./dist/index.js"`, 47_000],
  ["verifyWebhook", `export { verifyWebhook } from "./dist/index.js"`, 22_000],
  ["createJournalFollower", `export { createJournalFollower } from "./dist/index.js"`, 46_000],
  ["GATES", `export { GATES } from "./dist/index.js"`, 1_000],
  ["canonicalize", `export { canonicalize } from "./dist/index.js"`, 2_000],
];

const faults = [];
const expect = (holds, fault) => {
  if (!holds) faults.push(fault);
};

const packed = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8" });
if (packed.status !== 0) throw new Error(`npm pack: ${packed.stderr}`);
const listed = JSON.parse(packed.stdout);
const [{ files }] = Array.isArray(listed) ? listed : Object.values(listed);
const paths = files.map(({ path }) => path);
const allowed = /^(package\.json|README\.md|LICENSE-(APACHE|MIT)|dist\/contracts\/[a-z-]+\.json|dist\/([a-z0-9-]+\/)*[a-z0-9-]+\.(js|d\.ts))$/;
for (const path of paths) expect(allowed.test(path), `${path} is published`);
for (const path of ["README.md", "LICENSE-APACHE", "LICENSE-MIT", "dist/index.js", "dist/index.d.ts"]) {
  expect(paths.includes(path), `${path} is not published`);
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
for (const member of ["dependencies", "peerDependencies", "optionalDependencies", "bundledDependencies"]) {
  expect(manifest[member] === undefined, `package.json has ${member}`);
}
const [, version] = /^version = "(.*)"$/m.exec(readFileSync(join(repository, "Cargo.toml"), "utf8"));
expect(manifest.version === version, `the package is version ${manifest.version}, the project ${version}`);
expect(!/postinstall|"install"|preinstall|"prepare"/.test(JSON.stringify(manifest.scripts)), "a script runs when the package is put in");
for (const [subpath, target] of Object.entries(manifest.exports)) {
  const file = typeof target === "string" ? target : target.default;
  expect(paths.includes(file.slice(2)), `${subpath} leads to ${file}, which is not published`);
  if (!subpath.endsWith("package.json") && subpath.endsWith(".json")) {
    const [shipped, own] = [readFileSync(join(root, file)), readFileSync(join(repository, "contracts", subpath.slice(2)))];
    expect(shipped.equals(own), `${subpath} is not the contract, byte for byte`);
  }
}
const lock = readFileSync(join(root, "package-lock.json"), "utf8");
expect(!/"resolved": "(?!\.\.?\/)/.test(lock) && !lock.includes("://registry"), "package-lock.json holds download addresses");

for (const [name, contents, most] of BUDGETS) {
  const result = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    write: false,
    logLevel: "silent",
  });
  const size = gzipSync(result.outputFiles[0].contents, { level: 9 }).length;
  expect(size <= most, `${name}: ${size} bytes of ${most}`);
  console.log(`${name}: ${size} of ${most} bytes, minified and compressed`);
}

for (const fault of faults) console.error(fault);
console.log(`${paths.length} files are published`);
process.exit(faults.length === 0 ? 0 : 1);
