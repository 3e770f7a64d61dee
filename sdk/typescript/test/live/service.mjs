// Starts what the live tests talk to: a registry, the preview's server and a browser. All on this machine.

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { kit, repository } from "../kit.mjs";

const svc = process.env.SVC_BINARY ?? join(repository, "target/debug/svc");
const svcRegistry = process.env.SVC_REGISTRY_BINARY ?? join(repository, "target/debug/svc-registry");

/** Runs svc to its end. */
export const runSvc = (...parameters) => run("svc", "SVC_BINARY", svc, parameters);

/** Runs svc-registry to its end. */
export const runSvcRegistry = (...parameters) => run("svc-registry", "SVC_REGISTRY_BINARY", svcRegistry, parameters);

function run(name, variable, program, parameters) {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, { encoding: "utf8", cwd: repository });
  if (error) throw new Error(`${name} is needed, built by \`cargo build -p ${name}\` or named by ${variable}: ${error.message}`);
  if (status !== 0) throw new Error(`${name} ${parameters.join(" ")}: ${stderr}`);
  return stdout;
}

/**
 * A running registry. Whatever it keeps, it keeps in a folder of its own, which goes with it when it is stopped, and stays
 * when it is halted or killed. It may begin with a copy of another's, and have settings of its own.
 */
export async function startRegistry(copied, ...settings) {
  const data = mkdtempSync(join(tmpdir(), "svc-registry-"));
  if (copied !== undefined) cpSync(copied, data, { recursive: true });
  const environment = { ...process.env, SVC_DATA_DIR: data };
  const registry = await start(svcRegistry, ["serve", "--bind", "127.0.0.1:0", ...settings], repository, environment);
  const remove = () => rmSync(data, { recursive: true, force: true });
  return { ...registry, data, halt: registry.stop, stop: () => registry.stop().then(remove) };
}

/** A registry whose log is in its second year, with what `cargo xtask lived-log` tells of it. */
export async function startLivedRegistry() {
  const folder = mkdtempSync(join(tmpdir(), "svc-lived-"));
  const xtask = process.env.SVC_XTASK ?? join(repository, "target/debug/xtask");
  const { status, stdout, stderr, error } = spawnSync(xtask, ["lived-log", join(folder, "data")], { encoding: "utf8", cwd: repository });
  if (error) throw new Error(`xtask is needed, built by \`cargo build -p xtask\` or named by SVC_XTASK: ${error.message}`);
  if (status !== 0) throw new Error(`xtask lived-log: ${stderr}`);
  const registry = await startRegistry(join(folder, "data"));
  rmSync(folder, { recursive: true, force: true });
  return { ...registry, ...JSON.parse(stdout) };
}

/** A running witness of one log, with a folder of its own, and its public key. */
export async function startWitness(name, logKey) {
  const state = mkdtempSync(join(tmpdir(), "svc-witness-"));
  runSvcRegistry("witness", "init", "--state", state, "--name", name);
  const logs = join(state, "logs.policy");
  writeFileSync(logs, `log ${logKey}\nquorum none\n`);
  const witness = await start(svcRegistry, ["witness", "serve", "--state", state, "--logs", logs, "--listen", "127.0.0.1:0"], repository, process.env);
  const publicKey = readFileSync(join(state, "witness.pub"), "utf8").trim();
  return { ...witness, publicKey, stop: () => witness.stop().then(() => rmSync(state, { recursive: true, force: true })) };
}

/** The preview's server with the example index, in a folder where the SDK is a package like any other. */
export async function startPreview(registry) {
  const folder = mkdtempSync(join(tmpdir(), "svc-preview-"));
  cpSync(join(repository, "examples/catalog-preview"), folder, { recursive: true, filter: (path) => !path.includes("node_modules") });
  mkdirSync(join(folder, "node_modules/@svc"), { recursive: true });
  symlinkSync(join(repository, "sdk/typescript"), join(folder, "node_modules/@svc/registry-sdk"));
  const index = join(kit, "documents/index.json");
  const parameters = ["serve.mjs", index, "--port", "0", "--registry", registry.address];
  const preview = await start(process.execPath, parameters, folder, process.env);
  return {
    ...preview,
    folder,
    stop: async () => {
      await preview.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Chromium with a new profile. */
export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.SVC_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** The registries that lie: `rows` as `cargo xtask liars` tells them. */
export async function startLiars() {
  const xtask = process.env.SVC_XTASK ?? join(repository, "target/debug/xtask");
  const child = spawn(xtask, ["liars"], { cwd: repository, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => child.on("close", done));
  const rows = await new Promise((resolve, reject) => {
    const told = [];
    child.on("error", (error) => reject(new Error(`xtask is needed, built by \`cargo build -p xtask\` or named by SVC_XTASK: ${error.message}`)));
    child.on("close", (code) => reject(new Error(`xtask liars ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "") resolve(told);
      else told.push(JSON.parse(line));
    });
  });
  const stop = () => {
    child.stdin.end();
    return ended;
  };
  return { rows, stop };
}

/** Starts a program and waits for the address that it says it listens on. */
function start(program, parameters, cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise((done) => child.on("close", done));
    let said = "";
    const hear = (chunk) => {
      said += chunk;
      const address = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(said)?.[1];
      const end = (signal) => () => {
        child.kill(signal);
        return ended;
      };
      if (address !== undefined) resolve({ address, stop: end("SIGTERM"), kill: end("SIGKILL") });
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`${program} ended with ${code}: ${said}`)));
  });
}
