// A client on generated types: openapi-typescript for the types, openapi-fetch for the requests.
//
// usage: node client.js URL BUNDLE

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import createClient from "openapi-fetch";
import type { components, paths } from "./registry.js";

type Decision = components["schemas"]["Decision"];
type Problem = components["schemas"]["Problem"];

const [url, bundle] = process.argv.slice(2) as [string, string];
const registry = createClient<paths>({ baseUrl: url });
const artifact = (name: string) => JSON.parse(readFileSync(join(bundle, `svc-registry-${name}.json`), "utf8"));

/** A yes has no type: what a branch on it sees is `never`. */
function expectNo(answer: Decision | Problem): void {
  if (answer.accepted) {
    const none: never = answer.accepted;
    throw new Error(`accepted: ${none}`);
  }
  const flags: readonly [false, false, false] = [answer.accepted, answer.signed, answer.installable];
  assert.deepEqual(flags, [false, false, false]);
  assert.ok(answer.missingGates.length >= 5);
}

function decided(answer: { data?: Decision; error?: Problem; response: Response }): Decision {
  assert.equal(answer.response.status, 200, JSON.stringify(answer.error));
  assert.equal(answer.response.headers.get("svc-decision"), "denied");
  assert.ok(answer.data);
  expectNo(answer.data);
  assert.equal(answer.data.requestId, answer.response.headers.get("svc-request-id"));
  return answer.data;
}

const base = "/api/sdk/registry";
const request: components["schemas"]["AcceptanceRequest"] = artifact("acceptance-request");
const decisions = [
  decided(await registry.POST(`${base}/acceptance-requests`, { body: request })),
  decided(await registry.POST(`${base}/indexes/validate`, { body: artifact("index") })),
  decided(await registry.POST(`${base}/install-policy`, { body: artifact("install-policy") })),
  decided(await registry.POST(`${base}/publisher-verification`, { body: artifact("publisher-verification") })),
  decided(await registry.POST(`${base}/review-evidence`, { body: artifact("review-evidence") })),
  decided(await registry.POST(`${base}/signing-requests`, { body: artifact("signing-request") })),
];
assert.equal(new Set(decisions.map((decision) => decision.decisionId)).size, 6);
for (const { receipt } of decisions) assert.equal(receipt?.record.outcome, "denied");

const tampered = { ...request, documentDigest: `sha256:${"0".repeat(64)}` };
const refused = await registry.POST(`${base}/acceptance-requests`, { body: tampered });
assert.equal(refused.response.status, 422);
assert.ok(refused.error);
expectNo(refused.error);
assert.equal(refused.error.code, "digest-mismatch");

const page = await registry.GET("/api/sdk/registry/problems/{code}", { params: { path: { code: refused.error.code } } });
assert.equal(page.data?.status, 422);
const limits = await registry.GET(`${base}/limits`);
assert.ok(limits.data && limits.data.length > 0);
const schema = await registry.GET(`${base}/schemas/{name}`, { params: { path: { name: "decision" } } });
assert.ok(schema.data);
const entries = await registry.GET(`${base}/journal/entries`, { params: { query: { limit: 10 } } });
assert.ok(entries.data && entries.data.size >= 7 && entries.data.entries.every(({ record }) => record.accepted === false));
console.log(`${decisions.length} decisions and a problem were read, every one of them no`);
