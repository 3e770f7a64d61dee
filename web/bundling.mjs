// How sources become what a browser runs: for build.mjs, and for tests that look at a part of it in Node.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const folder = dirname(fileURLToPath(import.meta.url));
export const tools = join(folder, "../sdk/typescript");
const { build } = createRequire(join(tools, "package.json"))("esbuild");
const json = (path) => JSON.parse(readFileSync(join(folder, "..", path), "utf8"));

/** Why each rule is there: the SDK's table leaves the reasons out. */
const reasons = {
  name: "reasons",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^svc:reasons$/ }, ({ path }) => ({ path, namespace: "svc" }));
    onLoad({ filter: /.*/, namespace: "svc" }, () => {
      const rows = json("contracts/ruleset.json").rules.map(({ code, why }) => [code, why]);
      return { contents: `export const REASONS = ${JSON.stringify(Object.fromEntries(rows))};`, loader: "js" };
    });
  },
};

/** The text of one bundled source. */
export async function bundled(source, options = {}) {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    bundle: true,
    charset: "utf8",
    define: { SVC_VERSION: JSON.stringify(json("sdk/typescript/package.json").version) },
    entryPoints: [source],
    format: "iife",
    legalComments: "none",
    minify: true,
    plugins: [reasons],
    target: ["chrome109", "firefox115", "safari16"],
    write: false,
    ...options,
  });
  return outputFiles[0].text.trimEnd();
}

/** The page of the console: its one line about the outcome stands in it, also for those without scripts. */
export function consolePage() {
  const { missingGates } = json("contracts/hosted-registry-readiness-contract.json");
  return readFileSync(join(folder, "src/console/console.html"), "utf8").replace("{{missing gates}}", missingGates.join(", ")).trimEnd();
}
