// Answers as an honest registry gives them, to change one word in.

import { digestJson, GATES, SVC_DEFAULT } from "../dist/index.js";
import { bytes } from "./kit.mjs";

export const request = bytes("acceptance-request", "own-rules-valid");
export const artifact = JSON.parse(new TextDecoder().decode(request));
const packed = artifact.artifactDigests.find((row) => row.name === "package-artifact").digest;
const gates = GATES.map((row) => row.gate);
const gateStatuses = Object.fromEntries(GATES.map((row) => [row.gate, row.status]));

/** An honest decision. */
export function decision(change = (_) => {}) {
  const body = {
    accepted: false,
    artifact: { digest: artifact.documentDigest, kind: artifact.kind },
    blockers: [],
    digestCheck: { declared: packed, matches: true, recomputed: packed },
    gateStatuses: { ...gateStatuses },
    installable: false,
    kind: "svc-registry-decision",
    missingGates: gates.slice(1),
    nextGate: "publisher-verification",
    operation: "evaluate-acceptance-request",
    outcome: "denied",
    reviewed: "as-claimed",
    ruleset: { declared: SVC_DEFAULT.ruleset.digest, equal: true, own: SVC_DEFAULT.ruleset },
    schemaVersion: "1.0",
    signed: false,
    stage: "review-report",
  };
  change(body);
  let decisionId = body.documentDigest;
  try {
    decisionId = digestJson(body);
  } catch {
    // What has no canonical form has no id either.
  }
  return { decisionId, ...body, requestId: "1" };
}

/** An honest refusal. */
export function problem(change = (_) => {}) {
  const body = {
    accepted: false,
    code: "digest-mismatch",
    detail: "1 finding(s); each is in `errors` with its place",
    errorCount: 1,
    errors: [{ code: "digest-mismatch", detail: "x", pointer: "/documentDigest", rule: "SVC-B003" }],
    gateStatuses: { ...gateStatuses, "artifact-hash": "unevidenced" },
    installable: false,
    instance: "/api/sdk/registry/acceptance-requests",
    missingGates: gates,
    requestId: "1",
    signed: false,
    status: 422,
    title: "A digest does not recompute",
    truncated: false,
    type: "/api/sdk/registry/problems/digest-mismatch",
  };
  change(body);
  return body;
}

/** The answer of a server. */
export const reply = (body, status = 200, headers = {}) =>
  new Response(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body), {
    status,
    headers: { "content-type": status === 200 ? "application/json" : "application/problem+json", ...headers },
  });
