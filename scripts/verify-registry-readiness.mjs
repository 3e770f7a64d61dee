// The readiness verifier: `svc verify local` and `svc verify hosted`, from a checkout.
//
// A thin launcher. It finds the binary, or builds it and says so, hands the arguments over, and ends with the binary's
// exit code. It decides nothing: what is checked, and what comes out, is all in the binary.

import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const CANNOT_START = 3;
const USAGE = 2;

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
run(binary(), ["verify", mode, ...contracts, ...rest]);

/** The binary: the one that was named, the newest that was built before, or one that is built now. */
function binary() {
  const named = process.env.SVC_BINARY;
  if (named) return resolve(named);
  const built = ["release", "debug"].map((profile) => join(target, profile, name)).filter((path) => existsSync(path));
  if (built.length > 0) return built.toSorted((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs)[0];
  console.error("svc is not built yet: cargo build --locked --package svc");
  const cargo = spawnSync("cargo", ["build", "--locked", "--package", "svc"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (cargo.status !== 0) {
    const missing = `cargo cannot be started (${cargo.error?.code}); is Rust on the PATH?`;
    console.error(`error: ${cargo.error ? missing : "cargo could not build svc"}`);
    process.exit(CANNOT_START);
  }
  return join(target, "debug", name);
}

/** Runs the binary where the caller stands, so that relative paths mean what they say. */
function run(program, args) {
  const cwd = process.env.INIT_CWD && existsSync(process.env.INIT_CWD) ? process.env.INIT_CWD : process.cwd();
  const ended = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (ended.error) {
    console.error(`error: ${program} cannot be started (${ended.error.code})`);
    process.exit(CANNOT_START);
  }
  process.exit(ended.status ?? 128 + (constants.signals[ended.signal] ?? 0));
}
