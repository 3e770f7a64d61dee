#!/usr/bin/env node
// Runs the program beside this file, and ends as it ends.
//
// Absent on purpose: a variable or a search path that names another program, a script that npm runs, a download.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

import { CARGO_LINE, found, refusal } from "../lib/host.mjs";

const CANNOT_START = 3;
const FORWARDED = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"];

const program = fileURLToPath(new URL("svc", import.meta.url));
const needed = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).svc;

const refused = refusal(needed, found(process));
if (refused) {
  process.stderr.write(refused);
  process.exitCode = CANNOT_START;
} else {
  run();
}

function run() {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  const forward = (signal) => child.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);
  child.on("error", (error) => {
    process.stderr.write(
      `error: ${JSON.stringify(program)} cannot be started (${error.code})\n` +
        `  = help: put the package in again, or build svc from a checkout of its repository: ${CARGO_LINE}\n`,
    );
    process.exitCode = CANNOT_START;
    for (const name of FORWARDED) process.off(name, forward);
  });
  child.on("exit", (code, signal) => {
    for (const name of FORWARDED) process.off(name, forward);
    if (signal === null) process.exitCode = code;
    else endBy(signal);
  });
}

/** Ends by the same signal, so that whoever waits sees what ended the program. */
function endBy(signal) {
  process.exitCode = 128 + (constants.signals[signal] ?? 0);
  if (FORWARDED.includes(signal) || signal === "SIGKILL") process.kill(process.pid, signal);
}
