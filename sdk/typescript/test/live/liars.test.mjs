// Registries that lie, each in one way, and honest ones that are not ours, against a client that insists on the journal. The
// table is the one of the verifier's tests, crates/testkit/src/lies/, served by `cargo xtask liars`: each row says
// what the client does, and for a lie that it cannot see, why.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRegistryClient, FailOpenError, LogError, ProofError, RegistryClientError } from "../../dist/index.js";
import { bytes } from "../kit.mjs";
import { startLiars } from "./service.mjs";

/** The calls and their payloads; the last one is tampered with. */
const CALLS = [
  ["evaluateAcceptanceRequest", "acceptance-request", "valid"],
  ["validateIndex", "index", "valid"],
  ["evaluatePublisherVerification", "publisher-verification", "valid"],
  ["evaluateReviewEvidence", "review-evidence", "valid"],
  ["evaluateSigningRequest", "signing-request", "valid"],
  ["evaluateInstallPolicy", "install-policy", "valid"],
  ["evaluateAcceptanceRequest", "acceptance-request", "accepted-true"],
].map(([call, kind, name]) => ({ call, isGood: name === "valid", document: bytes(kind, name) }));

let liars;
before(async () => {
  liars = await startLiars();
});
after(() => liars.stop());

/** Everything that a client is used for, as far as it gets. */
async function useClient({ url, publicKey, client: row }, others, journal = {}) {
  // All rows run side by side: only one that is to run out of time may do so on a busy machine.
  const timeoutMs = row.throws?.code === "timeout" ? 4000 : 30_000;
  const client = createRegistryClient({ baseUrl: url, journal: { publicKeys: [publicKey], ...journal }, timeoutMs });
  const answers = [];
  for (let time = 0; time < 2; time += 1) {
    for (const { call, isGood, document } of CALLS) {
      const answer = await client[call](document);
      assert.equal(answer.ok, isGood, call);
      answers.push(answer.ok ? answer.value : answer.problem);
    }
    // Beside other clients, the growth of the log takes tiles.
    for (const { call, document } of CALLS.slice(0, 3)) await others[call](document);
  }
  const { value: newest } = await client.journal.checkpoint();
  const kept = answers.filter((answer) => answer.receipt !== undefined).at(-1);
  const { value: proven } = await client.journal.checkReceipt(JSON.stringify(kept));
  for (const index of [0, proven.record.sequence, newest.size - 1]) {
    assert.equal((await client.journal.entry(index)).value.record.sequence, index);
  }
  assert.deepEqual((await client.journal.keys()).value, [publicKey]);
  for (const document of ["links", "contract", "readiness", "version"]) assert.equal((await client[document]()).ok, true, document);
}

test("every lie is thrown as what it is, unless its row says why no client sees it; honest registries pass", async () => {
  const { rows } = liars;
  const honest = createRegistryClient({ baseUrl: rows.find(({ name }) => name === "ours").url });
  const ends = await Promise.all(rows.map(async (row) => [row, await end(row, honest)]));
  const wrong = ends.filter(([row, found]) => found !== expected(row.client)).map(([{ name, client }, found]) => `${name}: ${found}, not ${expected(client)}`);
  assert.deepEqual(wrong, []);
  const count = (member) => rows.filter(({ client }) => member in client).length;
  assert.ok(count("throws") >= 30 && count("unseen") <= 16 && count("passes") >= 4, "the table has lost its rows");
});

/** How the use of a client ends, in words. */
async function end(row, honest) {
  const journal = row.client.passes === false ? { require: false } : {};
  try {
    await useClient(row, honest, journal);
    return "passes";
  } catch (error) {
    if (!(error instanceof RegistryClientError)) return `${error.stack}`;
    if (error instanceof FailOpenError) assert.ok(error.pointers.length > 0, row.name);
    if (error instanceof LogError) assert.equal(error.evidence.length, 2, row.name);
    if (error instanceof ProofError) assert.ok(error.requestId !== undefined, row.name);
    return `${error.name} ${error.code}`;
  }
}

const expected = ({ throws }) => (throws === undefined ? "passes" : `${throws.name} ${throws.code}`);

test("what is only honest without receipts is refused by a client that insists on them", async () => {
  const unproven = liars.rows.filter(({ client }) => client.passes === false);
  const honest = createRegistryClient({ baseUrl: liars.rows.find(({ name }) => name === "ours").url });
  for (const row of unproven) await assert.rejects(useClient(row, honest), { code: "proof-missing" }, row.name);
  assert.ok(unproven.length > 0);
});
