// The policies of the conformance kit: who must have seen a state, and what is wrong with a policy or a line of a witness.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWitnesses } from "../dist/index.js";
import { expectation, names, textOf } from "./kit.mjs";

test("every policy of the kit holds for its checkpoint, or is refused with its reason and line", async () => {
  const cases = names("policies");
  assert.equal(cases.length, 53);
  for (const name of cases) {
    const { holds, now, publicKeys, reason, line, cosigned } = expectation("policies", name);
    const checked = await checkWitnesses(textOf("policies", name, "checkpoint"), { policy: textOf("policies", name, "policy"), publicKey: publicKeys.join("\n"), now });
    const { ok, fault, line: at, cosigned: by } = checked;
    assert.deepEqual({ ok, fault, line: at, cosigned: by }, { ok: holds, fault: reason, line, cosigned }, name);
    assert.ok(Object.isFrozen(checked));
  }
});

test("what is no key of a log is thrown, and what is no text of a policy is named", async () => {
  await assert.rejects(checkWitnesses("", { policy: "quorum none\n", publicKey: "" }), TypeError);
  const { publicKeys } = expectation("policies", "one-witness");
  const of = (policy) => checkWitnesses("", { policy, publicKey: publicKeys[0] });
  assert.deepEqual(await of("#".repeat(65_537)), { ok: false, fault: "policy-too-long", line: 1 });
  assert.deepEqual(await of("quorum none\n\ud800"), { ok: false, fault: "policy-text", line: 2 });
  assert.deepEqual(await of(""), { ok: false, fault: "policy-no-quorum", line: 1 });
  assert.deepEqual(await of("quorum none\n"), { ok: false, fault: "checkpoint-refused" });
  const groups = (count) => textOf("policies", "nobody-asked", "policy") + Array.from({ length: count }, (_, at) => `group g${at} any ${at === 0 ? "a" : `g${at - 1}`}\n`).join("");
  assert.equal((await of(groups(64))).fault, "checkpoint-refused");
  assert.equal((await of(groups(65))).fault, "policy-too-many");
});
