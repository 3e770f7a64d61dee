// Every example of the README and of the guide is run, and says what its page says. No svc is needed: the bundle is the
// kit's, the registry a stand-in. `test/live` runs the same examples against a registry.

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { ARTIFACTS, OPERATIONS, toFile } from "../dist/index.js";
import { reseal } from "../scripts/differential/reseal.mjs";
import { exampleBundle, valueOf } from "./kit.mjs";
import { exampleFolder, runExamples } from "./readme.mjs";
import { Registry } from "./registry.mjs";

/** The kit's bundle, with an index of its one package alone. */
function bundle() {
  const { documentDigest } = valueOf("submission", "valid");
  const index = valueOf("index", "valid");
  index.entries = index.entries.filter(({ submissionDigest }) => submissionDigest === documentDigest);
  index.derivedFrom = index.derivedFrom.filter(({ digest }) => digest === documentDigest);
  reseal(index);
  return { ...exampleBundle(ARTIFACTS), "svc-registry-index.json": toFile(index) };
}

/** A registry that answers every document with a no, on record. */
class StandIn extends Registry {
  evaluate(body) {
    const document = JSON.parse(new TextDecoder().decode(body));
    const { documentDigest: digest, kind } = document;
    const { operation } = OPERATIONS[kind];
    const packed = document.artifactDigests?.find((row) => row.name === "package-artifact").digest;
    const about = { artifact: { digest, kind }, operation };
    const ofPackage = packed && { digestCheck: { declared: packed, matches: true, recomputed: packed } };
    return this.decide((answer) => Object.assign(answer, about, ofPackage), { operation });
  }
}

/** The stand-in behind an address. */
async function serve(registry) {
  const answer = registry.fetchWith();
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const said = await answer(request.url, { method: request.method, body: Buffer.concat(parts) });
    response.writeHead(said.status, Object.fromEntries(said.headers)).end(Buffer.from(await said.arrayBuffer()));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return server;
}

test("every example says what its page says, and needs no svc", async (context) => {
  const { folder, remove } = exampleFolder();
  const registry = new StandIn();
  const server = await serve(registry);
  context.after(() => {
    server.close();
    remove();
  });
  for (const [file, text] of Object.entries(bundle())) writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, "journal.pub"), registry.log.publicKey);
  await runExamples(folder, `http://127.0.0.1:${server.address().port}`);
});
