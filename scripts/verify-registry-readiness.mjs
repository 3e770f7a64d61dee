// The readiness verifier: `svc verify local` and `svc verify hosted`, from a checkout.
//
// A thin launcher. It finds the binary, or builds it and says so, hands the arguments over, and ends with the binary's
// exit code. It decides nothing: what is checked, and what comes out, is all in the binary. Where there is no cargo, it
// takes the npm package that carries the binary.

import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const CANNOT_START = 3;
const USAGE = 2;
const NPM_PACKAGE = "svc-preflight";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = process.env.CARGO_TARGET_DIR ? resolve(root, process.env.CARGO_TARGET_DIR) : join(root, "target");
const name = process.platform === "win32" ? "svc.exe" : "svc";

// Package managers may hand over the `--` that parts their own arguments from ours.
const given = process.argv.slice(2);
const separator = given.indexOf("--");
const words = separator < 0 ? given : given.toSpliced(separator, 1);
const [mode, ...rest] = words;

if (mode !== "local" && mode !== "hosted") {
  console.error("error: give `local`, or `hosted BASE_URL --artifact-dir DIR [--level build]`");
  process.exit(USAGE);
}

// Without a folder of one's own, the contracts are those of this checkout, wherever the caller stands.
const ownFolder = rest.some((word) => word.startsWith("--contracts"));
const contracts = mode === "local" && !ownFolder ? ["--contracts", join(root, "contracts")] : [];
const { program, before } = binary();
run(program, [...before, "verify", mode, ...contracts, ...rest]);

/** The binary: the one that was named, the newest that was built before, one of the npm package, or one that is built now. */
function binary() {
  const named = process.env.SVC_BINARY;
  if (named) return { program: resolve(named), before: [] };
  const built = ["release", "debug"].map((profile) => join(target, profile, name)).filter((path) => existsSync(path));
  if (built.length > 0) {
    const [newest] = built.toSorted((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs);
    return { program: newest, before: [] };
  }
  const launcher = packaged();
  if (launcher) {
    console.error(`svc is not built, and taken from ${JSON.stringify(launcher)}`);
    return { program: process.execPath, before: [launcher] };
  }
  console.error("svc is not built yet: cargo build --locked --package svc");
  const cargo = spawnSync("cargo", ["build", "--locked", "--package", "svc"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (cargo.status !== 0) {
    const missing = `cargo cannot be started (${cargo.error?.code}); is Rust on the PATH?`;
    console.error(`error: ${cargo.error ? missing : "cargo could not build svc"}`);
    console.error(`  = help: build svc with cargo, or put in the npm package ${NPM_PACKAGE}: docs/guides/install.md`);
    process.exit(CANNOT_START);
  }
  return { program: join(target, "debug", name), before: [] };
}

/** The launcher of the npm package, from the packages of this checkout or of the caller. */
function packaged() {
  for (const folder of [root, caller()]) {
    try {
      const manifest = createRequire(join(folder, "package.json")).resolve(`${NPM_PACKAGE}/package.json`);
      return join(dirname(manifest), "bin", "svc.mjs");
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

/** Where the caller stands: package managers start a script elsewhere and tell it. */
function caller() {
  const told = process.env.INIT_CWD;
  return told && existsSync(told) ? told : process.cwd();
}

/** Runs the binary where the caller stands, so that relative paths mean what they say. */
function run(program, args) {
  const ended = spawnSync(program, args, { cwd: caller(), stdio: "inherit" });
  if (ended.error) {
    console.error(`error: ${program} cannot be started (${ended.error.code})`);
    process.exit(CANNOT_START);
  }
  process.exit(ended.status ?? 128 + (constants.signals[ended.signal] ?? 0));
}
