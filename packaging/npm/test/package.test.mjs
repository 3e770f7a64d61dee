// The package from its tarball, in fresh folders, with npm, npx and pnpm, without a network. Run by the gate `getting`, which
// names the tarball, the program that it was made of, the repository and pnpm.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { constants, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import test, { after, before } from "node:test";

const { SVC_TARBALL: tarball, SVC_BINARY: binary, SVC_REPOSITORY: repository, SVC_PNPM: pnpm } = process.env;
for (const [name, value] of Object.entries({ tarball, binary, repository, pnpm })) assert.ok(value, `${name} is not named`);

const example = join(repository, "examples/weather-board");
const folder = mkdtempSync(join(tmpdir(), "svc-npm-"));
const home = mkdtempSync(join(tmpdir(), "svc-home-"));
// A home of its own: no cache, no settings and no login of whoever runs this.
const env = {
  HOME: home,
  PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
  npm_config_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
};
const launcher = join(folder, "node_modules/svc-preflight/bin/svc.mjs");

function run(program, args, options = {}) {
  const ended = spawnSync(program, args, { cwd: folder, env, encoding: "utf8", ...options });
  assert.equal(ended.error, undefined);
  return ended;
}

function passes(program, args, options) {
  const ended = run(program, args, options);
  assert.equal(ended.status, 0, `${program} ${args.join(" ")}: ${ended.stdout}${ended.stderr}`);
  return ended;
}

/** The same arguments for the launcher and for the program itself: both end, and say, the same. */
function same(args, options) {
  const [packed, direct] = [run(process.execPath, [launcher, ...args], options), run(binary, args, options)];
  assert.deepEqual([packed.status, packed.stdout, packed.stderr], [direct.status, direct.stdout, direct.stderr], args.join(" "));
  return packed;
}

function bundle(at) {
  return Object.fromEntries(readdirSync(at).toSorted().map((name) => [name, readFileSync(join(at, name), "utf8")]));
}

before(() => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "fresh", private: true }));
  passes("npm", ["install", "--save-dev", tarball]);
});

after(() => {
  for (const one of [folder, home]) rmSync(one, { recursive: true });
});

test("npm puts in one package, and nothing besides", () => {
  const there = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
  assert.deepEqual(there, ["svc-preflight"]);
  const { devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.match(devDependencies["svc-preflight"], /^file:/);
  assert.ok(readFileSync(join(dirname(launcher), "svc")).equals(readFileSync(binary)), "the program is what was packed");
});

test("npx makes the same bundle as the program that cargo built", () => {
  const args = ["app", "preflight", example, "--owner-id", "acme", "--owner-name", "Acme Ltd", "--out-dir"];
  passes("npx", ["--no", "--", "svc", ...args, join(folder, "by-npx")]);
  passes(binary, [...args, join(folder, "by-cargo")]);
  const made = bundle(join(folder, "by-npx"));
  assert.equal(Object.keys(made).length, 7);
  assert.deepEqual(made, bundle(join(folder, "by-cargo")));
});

test("npx runs a tarball that is put in nowhere", () => {
  const elsewhere = mkdtempSync(join(home, "elsewhere-"));
  const told = passes("npx", ["--yes", `--package=${tarball}`, "svc", "--version"], { cwd: elsewhere });
  assert.equal(told.stdout, passes(binary, ["--version"]).stdout);
  assert.deepEqual(readdirSync(elsewhere), []);
});

test("pnpm puts it in and runs it", () => {
  const place = mkdtempSync(join(home, "pnpm-"));
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "fresh", private: true }));
  const settings = { cwd: place, env: { ...env, PATH: [dirname(pnpm), env.PATH].join(delimiter) } };
  passes(pnpm, ["add", "--offline", "--save-dev", "--store-dir", join(home, "store"), tarball], settings);
  passes(pnpm, ["exec", "svc", "app", "preflight", example, "--out-dir", "made"], settings);
  passes(binary, ["app", "preflight", example, "--out-dir", join(folder, "beside-pnpm")]);
  assert.deepEqual(bundle(join(place, "made")), bundle(join(folder, "beside-pnpm")));
});

test("npx --no takes nothing from a registry that has another package of the same name; npx --yes would", async (context) => {
  const asked = [];
  const registry = createServer((request, response) => {
    asked.push(request.url);
    const dist = { tarball: `${address}/svc.tgz`, shasum: "0".repeat(40) };
    const other = { name: "svc", "dist-tags": { latest: "9.9.9" }, versions: { "9.9.9": { name: "svc", version: "9.9.9", bin: "svc.js", dist } } };
    response.statusCode = request.url === "/svc" ? 200 : 404;
    response.end(JSON.stringify(request.url === "/svc" ? other : {}));
  });
  await new Promise((resolve) => registry.listen(0, "127.0.0.1", resolve));
  context.after(() => registry.close());
  const address = `http://127.0.0.1:${registry.address().port}`;
  const cwd = mkdtempSync(join(home, "nowhere-"));
  const npx = async (flag) => {
    const online = { ...env, npm_config_offline: "false", npm_config_registry: address };
    const child = spawn("npx", [flag, "--", "svc", "--version"], { cwd, env: online, stdio: ["ignore", "ignore", "pipe"] });
    let told = "";
    child.stderr.on("data", (text) => (told += text));
    const [code] = await ended(child);
    assert.notEqual(code, 0);
    return told;
  };
  assert.match(await npx("--no"), /canceled due to missing packages and no YES option: \["svc@9\.9\.9"\]/);
  assert.deepEqual(asked, ["/svc"]);
  await npx("--yes");
  assert.ok(asked.includes("/svc.tgz"));
});

test("npm stops at a package for another system, and puts in none of the project: why ours is for all, and its launcher says no", () => {
  const [project, other] = [mkdtempSync(join(home, "project-")), mkdtempSync(join(home, "other-"))];
  writeFileSync(join(other, "package.json"), JSON.stringify({ name: "other", version: "1.0.0", os: ["aix"] }));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "fresh", private: true }));
  const packed = JSON.parse(passes("npm", ["pack", "--json"], { cwd: other }).stdout)[0].filename;
  const refused = run("npm", ["add", tarball, join(other, packed)], { cwd: project });
  assert.match(refused.stderr, /EBADPLATFORM/);
  assert.deepEqual(readdirSync(project), ["package.json"]);
});

test("arguments arrive as they were given", () => {
  const odd = ["a b", "it's \"quoted\"", "$(touch ran)", "`touch ran`", "; touch ran", "*", "", "--", "-x", "ä\n"];
  for (const word of odd) same(["app", "check", "--", `${word}/nowhere`]);
  same(["explain", ...odd]);
  assert.ok(!readdirSync(folder).includes("ran"));
});

test("the exit code is the program's", () => {
  assert.equal(same(["app", "check", example]).status, 0);
  const broken = mkdtempSync(join(home, "broken-"));
  writeFileSync(join(broken, "svc-app.json"), '{ "manifestVersion": 2 }\n');
  assert.equal(same(["app", "check", broken]).status, 1);
  assert.equal(same(["app", "check", "--no-such-flag"]).status, 2);
  assert.equal(same(["app", "check", join(home, "nowhere")]).status, 3);
});

test("standard input reaches the program", () => {
  const submission = readFileSync(join(folder, "by-npx/svc-registry-submission.json"));
  assert.equal(same(["app", "validate", "-"], { input: submission }).status, 0);
  assert.equal(same(["app", "validate", "-"], { input: "{" }).status, 1);
});

test("a signal to the launcher ends the program, and the launcher as the program ends", async () => {
  for (const signal of ["SIGINT", "SIGTERM"]) {
    const service = await watching(["app", "preflight", example, "--watch", "--out-dir", join(folder, `by-${signal}`)]);
    service.kill(signal);
    assert.deepEqual(await ended(service), [null, signal], "not caught by the program: both end by it");
  }
  const shell = `"$0" "$1" app preflight "$2" --watch --out-dir watched & sleep 2; kill -TERM $!; wait $!`;
  assert.equal(run("sh", ["-c", shell, process.execPath, launcher, example]).status, 128 + constants.signals.SIGTERM);
  const nobody = "http://127.0.0.1:9";
  const caught = await watching(["log", "watch", "--state", join(home, "watched"), nobody]);
  caught.kill("SIGTERM");
  assert.deepEqual(await ended(caught), [0, null], "caught by the program: it ends in order, by itself");
});

test("nothing in the environment makes the launcher run another program", () => {
  const lures = mkdtempSync(join(home, "lures-"));
  for (const name of ["svc", "node"]) {
    writeFileSync(join(lures, name), "#!/bin/sh\necho lured\n");
    chmodSync(join(lures, name), 0o755);
  }
  const lure = join(lures, "svc");
  const names = ["SVC", "SVC_BINARY", "SVC_BINARY_PATH", "SVC_PREFLIGHT_BINARY", "npm_config_svc_binary", "npm_package_config_svc"];
  const lured = { ...env, PATH: [lures, env.PATH].join(delimiter), NODE_PATH: lures, ...Object.fromEntries(names.map((name) => [name, lure])) };
  const told = passes(process.execPath, [launcher, "--version"], { env: lured, cwd: lures });
  assert.equal(told.stdout, passes(binary, ["--version"]).stdout);
});

test("the launcher finds its program through links, and says when it is gone or cannot run", () => {
  const linked = join(home, "linked.mjs");
  symlinkSync(launcher, linked);
  passes(process.execPath, [linked, "--version"]);
  const program = join(dirname(launcher), "svc");
  for (const [spoil, code] of [[() => chmodSync(program, 0o644), "EACCES"], [() => rmSync(program), "ENOENT"]]) {
    spoil();
    const told = run(process.execPath, [launcher, "--version"]);
    assert.equal(told.status, 3);
    assert.match(told.stderr, new RegExp(`^error: ".*/svc-preflight/bin/svc" cannot be started \\(${code}\\)\n  = help: .*cargo install`));
  }
  copyFileSync(binary, program);
  chmodSync(program, 0o755);
});

test("on a machine with an older glibc than the program needs, the launcher says so and exits with 3", () => {
  const manifest = join(dirname(launcher), "../package.json");
  const kept = readFileSync(manifest, "utf8");
  const told = JSON.parse(kept);
  assert.match(told.svc.glibc, /^2\.\d+$/);
  writeFileSync(manifest, JSON.stringify({ ...told, svc: { ...told.svc, glibc: "9.1" } }));
  const refused = run(process.execPath, [launcher, "app", "check", example]);
  writeFileSync(manifest, kept);
  assert.deepEqual([refused.status, refused.stdout], [3, ""]);
  assert.match(refused.stderr, /^error: this package carries svc for linux \w+ with glibc 9\.1 or later, and this is linux \w+ with glibc 2\.\d+\n/);
});

/** Starts the launcher and waits for the first thing that the program says. */
function watching(args) {
  const child = spawn(process.execPath, [launcher, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.stdout.once("data", () => resolve(child));
    child.once("exit", (code) => reject(new Error(`ended early with ${code}`)));
  });
}

function ended(child) {
  child.removeAllListeners("exit");
  return new Promise((resolve) => child.once("exit", (...how) => resolve(how)));
}
