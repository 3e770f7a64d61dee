// Bundles for tests: those of the conformance kit and those that svc makes of the examples, each in a folder of its own.

import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { json, named, names } from "../../sdk/typescript/test/kit.mjs";
import { bundled } from "../bundling.mjs";
import { runSvc, svc } from "./pages.mjs";

export const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** A folder for one test run. */
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "svc-console-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The bundles that the kit describes. */
export const described = () => json("vectors", "bundles.json");

/** Writes a bundle of cases of the kit: files by name. */
export function writeBundle(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [file, id] of Object.entries(files)) writeFileSync(join(folder, file), named(id));
  return folder;
}

/** The whole bundle with one document of the kit in the place of its own, for every document that the kit has. */
export function replaced() {
  const [{ files }] = described();
  return Object.entries(files).flatMap(([file, id]) => {
    const [kind] = id.split(".json#");
    return names(kind).map((name) => ({ name: `${kind}.json#${name}`, files: { ...files, [file]: `${kind}.json#${name}` } }));
  });
}

/** The files of a folder as a page or the SDK takes them. */
export const filesIn = (folder) => Object.fromEntries(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));

/** What `svc app verify` says of a folder, in the words that both sides have. */
export function verdictOf(folder) {
  const { stdout, error } = spawnSync(svc, ["app", "verify", folder, "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (error) throw error;
  const { brokenEdge, findings, valid } = JSON.parse(stdout);
  return {
    valid,
    ...(brokenEdge === undefined ? {} : { brokenEdge: [brokenEdge.parent, brokenEdge.child] }),
    findings: findings.filter(({ severity }) => valid || severity === "error").map(({ code, file, pointer }) => `${basename(file)} ${code} ${pointer}`).sort(),
  };
}

/** Bundles that svc makes of packages: the examples, and changed ones that are blocked, ask for more and hold a secret. */
export function makeBundles(folder) {
  const bundle = (name, change = () => {}, source = "examples/weather-board") => {
    const at = join(folder, name);
    cpSync(join(repository, source), at, { recursive: true });
    change(at);
    runSvc(folder, "app", "preflight", name, "--out-dir", `${name}-bundle`, "--owner-id", "acme", "--owner-name", "Acme Ltd");
    return join(folder, `${name}-bundle`);
  };
  const manifest = (at, change) => {
    const path = join(at, "svc-app.json");
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8"))), null, 2));
  };
  return {
    plain: bundle("plain"),
    minimal: bundle("minimal", undefined, "examples/minimal"),
    blocked: bundle("blocked", (at) => {
      appendFileSync(join(at, "dist/app.js"), 'eval("1 + " + location.hash); fetch("https://collect.tracker.example/v1"); navigator.clipboard.readText(); fetch(location.hash);\n');
      manifest(at, (row) => ({ ...row, version: "1.3.0", summary: "Weather with a \u2600\ufe0f and a long, long look.", permissions: [...row.permissions, { permission: "camera.capture", purpose: "Looks out of the window for you." }] }));
    }),
    many: bundle("many", (at) => {
      for (let file = 0; file < 260; file += 1) {
        mkdirSync(join(at, `dist/folder-${file % 24}`), { recursive: true });
        writeFileSync(join(at, `dist/folder-${file % 24}/${file}.js`), `fetch("https://host-${file}.example/"); eval("${file}");`);
      }
      manifest(at, (row) => ({ ...row, version: "2.0.0" }));
    }),
    broken: (() => {
      const at = join(folder, "broken-bundle");
      return writeBundle(at, described().find(({ name }) => name === "acceptance-request-owner-drift-resealed").files);
    })(),
  };
}

/** The builder of the model and the SDK's check, as Node runs them. */
export async function modelModule(folder) {
  const path = join(folder, "model.mjs");
  const source = 'export { reportOf } from "./src/model/build.ts"; export { verifyBundle } from "../sdk/typescript/src/bundle.ts"; export { escaped, plain, shownOf } from "./src/model/text.ts";';
  writeFileSync(path, await bundled(undefined, { entryPoints: undefined, stdin: { contents: source, resolveDir: join(repository, "web"), loader: "ts" }, format: "esm", platform: "neutral" }));
  return import(pathToFileURL(path).href);
}
