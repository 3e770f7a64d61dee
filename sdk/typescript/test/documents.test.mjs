// The read-only documents: what has a type was looked at, and none of them can say yes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ContractError, createRegistryClient, FailOpenError } from "../dist/index.js";
import { DOCUMENT_SHAPES } from "../dist/client/documents.js";
import { ANSWER_SHAPES, SHAPES } from "../dist/generated/shapes.js";
import { reply } from "./answers.mjs";
import { contract } from "./kit.mjs";

const file = (name) => JSON.parse(contract(name));
const ask = (call, body) => call(createRegistryClient({ baseUrl: "https://registry.example", fetch: async () => reply(body) }));

/** The call, what an honest registry answers, and changes that must not pass. */
const ROWS = [
  [(client) => client.contract(), file("hosted-registry-api-contract.json"), [(it) => delete it.operations, (it) => (it.operations[0].method = "GET"), (it) => (it.missingGates = ["none"]), (it) => (it.name = "other")]],
  [(client) => client.readiness(), file("hosted-registry-readiness-contract.json"), [(it) => (it.gates[1].status = "done"), (it) => it.packagesAre.push("approved package"), (it) => delete it.gateStatuses["artifact-signing"]]],
  [(client) => client.lifecycle(), file("lifecycle-catalog.json"), [(it) => (it.stages[4].id = "installed"), (it) => delete it.stages[0].label, (it) => (it.stages = {})]],
  [(client) => client.limits(), file("limits.json"), [(it) => (it[0].value = "many"), (it) => delete it[0].limit]],
  [(client) => client.ruleset(), file("ruleset.json"), [(it) => (it.digest = "md5:0"), (it) => (it.rules[0].severity = "fine")]],
  [(client) => client.problem("digest-mismatch"), file("problems.json").find(({ code }) => code === "digest-mismatch"), [(it) => delete it.help, (it) => (it.code = "Fine!")]],
  [(client) => client.version(), { commit: "unknown", ruleset: { digest: `sha256:${"0".repeat(64)}`, version: "1.0.0" }, schemaVersion: "1.0", version: "0.1.0" }, [(it) => delete it.version, (it) => (it.schemaVersion = "2.0")]],
  [(client) => client.links(), { links: [{ about: "x", href: "/x", method: "GET", operation: "x" }] }, [(it) => (it.links[0].method = "DELETE"), (it) => (it.links = null)]],
];

test("an honest document is given as it came, also with members that a later version adds", async () => {
  for (const [call, honest] of ROWS) {
    assert.deepEqual((await ask(call, honest)).value, honest);
    if (!Array.isArray(honest)) assert.equal((await ask(call, { ...honest, later: 1 })).ok, true);
  }
});

test("a document of another form is another contract, and one that says yes is open", async () => {
  for (const [call, honest, changes] of ROWS) {
    for (const change of changes) {
      const body = structuredClone(honest);
      change(body);
      await assert.rejects(ask(call, body), ContractError, `${change}`);
    }
    const list = Array.isArray(honest);
    await assert.rejects(ask(call, list ? {} : []), ContractError);
    for (const flag of ["accepted", "signed", "installable"]) {
      await assert.rejects(ask(call, list ? [...honest, { [flag]: true }] : { ...honest, [flag]: true }), FailOpenError);
    }
  }
});

test("no shape of a document stands in the way of another", () => {
  assert.deepEqual(Object.keys(DOCUMENT_SHAPES).filter((name) => name in SHAPES || name in ANSWER_SHAPES), []);
});
