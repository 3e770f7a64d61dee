// The receipts of the conformance kit. A kit without them says so, and nothing is passed over in silence.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkReceipt } from "../dist/index.js";
import { bytes, json, kit, names } from "./kit.mjs";

const present = existsSync(join(kit, "receipts"));

test("the kit has receipts, or says that it has none", () => {
  const page = readFileSync(join(kit, "README.md"), "utf8").replaceAll("\n", " ");
  assert.equal(page.includes("There are no vectors for receipts of the journal in this kit yet."), !present);
});

test("every receipt of the kit proves what the kit says, and no more", async () => {
  const cases = present ? names("receipts") : [];
  for (const name of cases) {
    const expect = json("receipts", name, "expect.json");
    const checked = await checkReceipt(bytes("receipts", name, "document.json"), { publicKey: expect.publicKeys.join("\n") });
    assert.equal(checked.ok, expect.proven, name);
    if (!checked.ok) assert.equal(checked.fault, expect.reason, name);
  }
  assert.ok(!present || cases.length > 20, `${cases.length} receipts`);
});
