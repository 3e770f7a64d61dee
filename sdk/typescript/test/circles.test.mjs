// No files import each other in a circle, types included: each can be read after those that it names.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { test } from "node:test";
import { repository } from "./kit.mjs";

/** The files of a folder, each with those that it imports. */
function importsOf(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".ts")).map((file) => join(folder, file));
  const imported = (file) => [...readFileSync(file, "utf8").matchAll(/^(?:import|export|\}).* from "(\.[^"]+)";$/gm)]
    .map(([, path]) => normalize(join(dirname(file), path)).replace(/\.js$/, ".ts"));
  return new Map(files.map((file) => [file, imported(file)]));
}

/** One way around, when there is a circle. */
function circleIn(imports) {
  const done = new Set();
  const visit = (file, path) => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  return [...imports.keys()].map((file) => visit(file, [])).find((circle) => circle !== undefined);
}

test("no files import each other in a circle", () => {
  for (const folder of ["sdk/typescript/src", "web/src"]) {
    const imports = importsOf(join(repository, folder));
    const count = [...imports.values()].flat().length;
    assert.ok(imports.size > 30 && count > imports.size, `${folder}: ${imports.size} files, ${count} imports`);
    assert.deepEqual(circleIn(imports)?.map((file) => relative(repository, file)), undefined);
  }
});
