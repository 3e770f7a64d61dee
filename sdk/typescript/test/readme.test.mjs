// Every example of the README is run, and says what the README says. No svc is needed: the bundle and the answer are the
// kit's. `test/live` runs the same examples against a registry.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { ARTIFACTS, BASE_PATH, OPERATIONS, toFile } from "../dist/index.js";
import { reseal } from "../scripts/differential/reseal.mjs";
import { bytes, exampleBundle, json } from "./kit.mjs";
import { exampleFolder, runExamples } from "./readme.mjs";

/** The kit's bundle, with an index of its one package alone. */
function bundle() {
  const { documentDigest } = json("submission", "valid", "document.json");
  const index = json("index", "valid", "document.json");
  index.entries = index.entries.filter(({ submissionDigest }) => submissionDigest === documentDigest);
  index.derivedFrom = index.derivedFrom.filter(({ digest }) => digest === documentDigest);
  reseal(index);
  return { ...exampleBundle(ARTIFACTS), "svc-registry-index.json": toFile(index) };
}

/** Answers an acceptance request with the kit's decision and its receipt. */
function startStandIn() {
  const { path } = OPERATIONS["svc-registry-acceptance-request"];
  const server = createServer((request, response) => {
    assert.deepEqual([request.method, request.url], ["POST", BASE_PATH + path]);
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end(bytes("receipts", "whole-decision", "document.json"));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

test("every example says what the README says, and needs no svc", async (context) => {
  const { folder, remove } = exampleFolder();
  const standIn = await startStandIn();
  context.after(() => {
    standIn.close();
    remove();
  });
  for (const [file, text] of Object.entries(bundle())) writeFileSync(join(folder, file), text);
  const { publicKeys } = json("receipts", "whole-decision", "expect.json");
  writeFileSync(join(folder, "journal.pub"), publicKeys.join("\n"));
  await runExamples(folder, `http://127.0.0.1:${standIn.address().port}`);
});
