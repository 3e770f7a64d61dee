import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalize, checkReceipt, GATES, SVC_DEFAULT } from "../dist/index.js";
import { digest, leafOf as leaf, Log, pathOf, rootOf, sha256 } from "./log.mjs";

const log = new Log();
const { publicKey } = log;
const ORIGIN = log.key.name;
const { id } = log.key;

function record(sequence, change = (_) => {}) {
  const row = {
    accepted: false,
    answerDigest: digest(sha256("c")),
    artifact: { digest: digest(sha256("a")), kind: "svc-registry-index" },
    decisionId: digest(sha256("b")),
    installable: false,
    kind: "svc-journal-record",
    missingGates: GATES.slice(1).map(({ gate }) => gate),
    operation: "validate-index",
    outcome: "denied",
    requestId: `r-${sequence}`,
    reviewed: "as-claimed",
    ruleset: SVC_DEFAULT.ruleset.digest,
    schemaVersion: "1.0",
    sequence,
    signed: false,
    time: "2026-11-15T06:00:00.000Z",
  };
  change(row);
  return row;
}

const checkpoint = (size, root, origin = ORIGIN) => log.note(size, root, { ...log.key, name: origin }).replaceAll(`\u2014 ${origin} `, `\u2014 ${ORIGIN} `);

function receipt(size, place, change) {
  const of = new Log();
  for (let at = 0; at < size; at += 1) of.add(record(at, at === place ? change : undefined));
  return of.receipt(place);
}

const faultOf = async (document) => (await checkReceipt(document, { publicKey })).fault;
const changed = (change) => {
  const copy = receipt(7, 3);
  change(copy);
  return copy;
};

test("a record of anything but a no proves nothing", async () => {
  for (const change of [(row) => (row.accepted = true), (row) => (row.signed = "false"), (row) => (row.outcome = "accepted"), (row) => delete row.decisionId, (row) => delete row.reviewed, (row) => row.missingGates.pop()]) {
    assert.equal(await faultOf(receipt(5, 2, change)), "not-a-refusal");
  }
});

test("every tampered receipt is refused for its own reason", async () => {
  const zero = digest(Buffer.alloc(32));
  assert.equal(await faultOf("{}"), "malformed");
  assert.equal(await faultOf("[]"), "malformed");
  assert.equal(await faultOf(changed((it) => (it.extra = 1))), "malformed");
  assert.equal(await faultOf(changed((it) => delete it.proof)), "malformed");
  assert.equal(await faultOf(changed((it) => (it.record.extra = 1))), "malformed");
  assert.equal(await faultOf(changed((it) => (it.index = 4))), "other-place");
  assert.equal(await faultOf(changed((it) => (it.record.requestId = "other"))), "other-leaf");
  assert.equal(await faultOf(changed((it) => (it.leafHash = zero))), "other-leaf");
  assert.equal(await faultOf(changed((it) => (it.checkpoint = "x"))), "malformed-checkpoint");
  assert.equal(await faultOf(changed((it) => (it.checkpoint = it.checkpoint.replace("\n7\n", "\n8\n")))), "bad-signature");
  assert.equal(await faultOf(changed((it) => (it.treeSize = 8))), "other-tree");
  assert.equal(await faultOf(changed((it) => (it.rootHash = zero))), "other-tree");
  assert.equal(await faultOf(changed((it) => (it.proof[0] = zero))), "bad-path");
  assert.equal(await faultOf(changed((it) => it.proof.pop())), "bad-path");
  assert.equal(await faultOf(changed((it) => it.proof.push(zero))), "bad-path");
  assert.equal(await faultOf(changed((it) => (it.checkpoint = checkpoint(7, Buffer.from(it.rootHash.slice(7), "hex"), "svc-journal-other")))), "other-tree");
});

test("a key that nobody gave proves nothing, and what is no key is an error", async () => {
  const good = receipt(3, 1);
  const otherName = publicKey.replace(ORIGIN, "svc-journal-else");
  await assert.rejects(checkReceipt(good, { publicKey: otherName }), TypeError, "the id is over the name");
  await assert.rejects(checkReceipt(good, { publicKey: "" }), TypeError);
  const stranger = Buffer.concat([Buffer.of(1), Buffer.alloc(32, 9)]);
  const strangerId = sha256(`${ORIGIN}\n`, stranger).subarray(0, 4).toString("hex");
  const checked = await checkReceipt(good, { publicKey: `${ORIGIN}+${strangerId}+${stranger.toString("base64")}` });
  assert.deepEqual(checked, { ok: false, fault: "unknown-key" });
  assert.equal((await checkReceipt(good, { publicKey, origin: "svc-journal-else" })).fault, "other-tree");
});

test("every record of logs of up to twenty records is proven, and no other place is", async () => {
  for (let size = 1; size <= 20; size += 1) {
    for (let place = 0; place < size; place += 1) {
      const good = receipt(size, place);
      const checked = await checkReceipt(JSON.stringify(good), { publicKey });
      assert.equal(checked.ok, true, `${place} of ${size}`);
      assert.deepEqual(checked.checkpoint, { origin: ORIGIN, size, rootHash: good.rootHash, note: good.checkpoint });
      assert.equal(checked.record.outcome, "denied");
    }
  }
});

test("an answer around a receipt must be the one on record, in every word", async () => {
  const decision = {
    accepted: false,
    artifact: record(2).artifact,
    entries: [{ reviewed: "as-claimed" }],
    gateStatuses: Object.fromEntries(GATES.map(({ gate, status }) => [gate, status])),
    installable: false,
    missingGates: GATES.slice(1).map(({ gate }) => gate),
    operation: "validate-index",
    outcome: "denied",
    ruleset: { own: SVC_DEFAULT.ruleset },
    signed: false,
  };
  const decisionId = digest(sha256(canonicalize(decision)));
  const answer = { ...decision, decisionId, requestId: "r-2" };
  const inner = receipt(4, 2, (row) => Object.assign(row, { answerDigest: digest(sha256(canonicalize(answer))), decisionId }));
  const whole = { ...answer, receipt: inner };
  assert.equal((await checkReceipt(whole, { publicKey })).withAnswer, true);
  for (const change of [{ requestId: "r-3" }, { note: 1 }, { decisionId: digest(sha256("x")) }]) {
    assert.equal(await faultOf({ ...whole, ...change }), "other-answer");
  }
  const opened = [
    { accepted: true },
    { missingGates: [] },
    { note: [{ installable: true }] },
    { stage: "signed-package" },
    { outcome: "accepted" },
    { gateStatuses: { "artifact-signing": "signed" } },
    { gateStatuses: undefined },
    { gateStatuses: { ...answer.gateStatuses, "artifact-hash": "unevidenced" } },
    { missingGates: GATES.map(({ gate }) => gate) },
    { installable: undefined },
    { outcome: undefined },
    { blockers: [{ gate: "artifact-signing", status: "signed" }] },
  ];
  for (const change of opened) {
    assert.equal(await faultOf(JSON.stringify({ ...whole, ...change })), "not-a-refusal", JSON.stringify(change));
  }
  const twice = JSON.stringify(whole).replace('"accepted":false', '"accepted":false,"accepted":true');
  assert.equal(await faultOf(twice), "not-a-refusal");
});

/** What JSON text can spell and no document may hold, each as a member. */
const REFUSED = { "a fraction": 1.5, "a great number": 1e20, "a sign of zero": -0, "half of a pair": "\ud800", "the other half": "\udc00" };

test("an object is judged as its text is, and never throws", async () => {
  for (const [what, note] of Object.entries(REFUSED)) {
    for (const place of [(it) => (it.note = note), (it) => (it.record.note = note), (it) => (it.record.note = { deep: [note] })]) {
      assert.equal(await faultOf(changed(place)), "malformed", what);
      const opened = changed((it) => place(Object.assign(it, { accepted: true })));
      assert.equal(await faultOf(opened), "not-a-refusal", what);
    }
  }
  assert.equal(await faultOf({ "\ud800": 1 }), "malformed");
  assert.equal(await faultOf({ "\ud800": 1, accepted: true }), "not-a-refusal");
  assert.equal(await faultOf('{"accepted":true,"note":-0}'), "not-a-refusal");
  assert.equal((await checkReceipt(receipt(7, 3), { publicKey })).ok, true);
});

test("what is not plain data is no receipt, and none of its code runs", async () => {
  let ran = 0;
  const run = () => {
    ran += 1;
    return false;
  };
  const circle = changed((it) => (it.record.circle = it));
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const throwing = () => {
    throw new Error("no");
  };
  const hostile = {
    "a getter": Object.defineProperty(changed(() => {}), "accepted", { get: run, enumerable: true }),
    "a getter deep inside": changed((it) => Object.defineProperty(it.record, "accepted", { get: run, enumerable: true })),
    "a getter that throws": Object.defineProperty({}, "receipt", { get: throwing, enumerable: true }),
    toJSON: changed((it) => (it.toJSON = run)),
    "inherited members": Object.create(receipt(7, 3)),
    "a circle": circle,
    "a revoked proxy": proxy,
    "a revoked proxy inside": changed((it) => (it.record = proxy)),
    "a map": new Map(Object.entries(receipt(7, 3))),
    "bytes behind a proxy": new Proxy(new Uint8Array(4), {}),
    "bytes of nobody": Object.setPrototypeOf(new Uint8Array(4), new Proxy({}, { getPrototypeOf: throwing })),
    "a length that throws": Object.defineProperty(new Uint8Array(4), "length", { get: throwing }),
    "a function": run,
    "a symbol": Symbol("x"),
    "a big integer": 1n,
    undefined,
    null: null,
    "a number": 1,
    "a list": [receipt(7, 3)],
    "no number": { note: Number.NaN },
    "a member that is undefined": { note: undefined },
  };
  for (const [what, document] of Object.entries(hostile)) assert.equal(await faultOf(document), "malformed", what);
  for (const trap of ["getOwnPropertyDescriptor", "getPrototypeOf", "ownKeys"]) {
    assert.equal(await faultOf(new Proxy(receipt(7, 3), { [trap]: throwing })), "malformed", trap);
  }
  assert.equal(ran, 0);
});
