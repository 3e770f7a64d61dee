// The pages that the tests look at: made by svc of packages that are made here, in a folder of their own.

import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
const tools = createRequire(join(repository, "sdk/typescript/package.json"));
export const svc = process.env.SVC_BINARY ?? join(repository, "target/debug/svc");
export const svcRegistry = process.env.SVC_REGISTRY_BINARY ?? join(repository, "target/debug/svc-registry");

export const axe = readFileSync(tools.resolve("axe-core/axe.min.js"), "utf8");

/** Runs svc to its end, in a folder. */
export const runSvc = (cwd, ...parameters) => run("svc", "SVC_BINARY", svc, cwd, parameters);

/** Runs svc-registry to its end, in a folder. */
export const runSvcRegistry = (cwd, ...parameters) => run("svc-registry", "SVC_REGISTRY_BINARY", svcRegistry, cwd, parameters);

function run(name, variable, program, cwd, parameters) {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, { encoding: "utf8", cwd });
  if (error) throw new Error(`${name} is needed, built by \`cargo build -p ${name}\` or named by ${variable}: ${error.message}`);
  if (status !== 0) throw new Error(`${name} ${parameters.join(" ")}: ${stderr}`);
  return stdout;
}

/** A folder with three reports: on the example, on one that its author must mend, and on one without its files. */
export function makePages() {
  const folder = mkdtempSync(join(tmpdir(), "svc-report-"));
  for (const name of ["plain", "blocked"]) cpSync(join(repository, "examples/weather-board"), join(folder, name), { recursive: true });
  appendFileSync(
    join(folder, "blocked/dist/app.js"),
    'eval("1 + " + location.hash); fetch("https://collect.tracker.example/v1"); navigator.clipboard.readText();\n',
  );
  const manifest = join(folder, "blocked/svc-app.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"version": "1.2.0"', '"version": "1.3.0"'));
  for (const name of ["plain", "blocked"]) runSvc(folder, "app", "preflight", name, "--out-dir", `${name}-bundle`);
  runSvc(folder, "app", "report", "plain-bundle", "--package", "plain", "--out", "plain.html");
  runSvc(folder, "app", "report", "blocked-bundle", "--package", "blocked", "--against", "plain-bundle", "--out", "blocked.html");
  runSvc(folder, "app", "report", "plain-bundle", "--out", "without-files.html");
  return {
    folder,
    address: (name) => pathToFileURL(join(folder, name)).href,
    text: (name) => readFileSync(join(folder, name), "utf8"),
    write: (name, text) => writeFileSync(join(folder, name), text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const DATA = /(<pre hidden id="report-data">)([^<]*)(<\/pre>)/;

/** The model of a page. */
export const modelOf = (html) => JSON.parse(DATA.exec(html)[2]);

/** The page with another model, written as svc writes it. */
export function withModel(html, model) {
  const data = JSON.stringify(model).replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return html.replace(DATA, (_, start, __, end) => start + data + end);
}

/** Chromium with a new profile. */
export function startBrowser() {
  return tools("playwright-core").chromium.launch({
    executablePath: process.env.SVC_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}
