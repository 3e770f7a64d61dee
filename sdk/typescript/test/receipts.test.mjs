// The receipts of the conformance kit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReceipt } from "../dist/index.js";
import { bytes, expectation, names } from "./kit.mjs";

test("every receipt of the kit proves what the kit says, and no more", async () => {
  const cases = names("receipts");
  for (const name of cases) {
    const expect = expectation("receipts", name);
    const checked = await checkReceipt(bytes("receipts", name), { publicKey: expect.publicKeys.join("\n") });
    assert.equal(checked.ok, expect.proven, name);
    if (!checked.ok) assert.equal(checked.fault, expect.reason, name);
  }
  assert.ok(cases.length > 20, `${cases.length} receipts`);
});
