// The checks of one artifact as a TypeScript team would write them: JSON.parse, the published schema through Ajv in strict
// mode, an RFC 8785 package, node:crypto. It does less than svc: no rule runs.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import canonicalize from "canonicalize";

const SCHEMAS = new URL("../../contracts/schemas/", import.meta.url);

export const digest = (value) => `sha256:${createHash("sha256").update(canonicalize(value)).digest("hex")}`;

/** A function that says what is wrong with a document of a kind; nothing, when all is well. */
export function checker(kind) {
  const ajv = new Ajv({ strict: true, allErrors: false });
  const conforms = ajv.compile(JSON.parse(readFileSync(new URL(`${kind}.schema.json`, SCHEMAS), "utf8")));
  return (document) => {
    if (!conforms(document)) return ajv.errorsText(conforms.errors);
    return document.documentDigest === undefined ? undefined : differing(document);
  };
}

/** The digest of a document: over all but itself and the embedded parts, which have digests of their own. */
export function documentDigest(document) {
  const { documentDigest: _, packageArtifact, reviewReport, ...rest } = document;
  if (rest.entries) rest.entries = rest.entries.map(({ submission, ...entry }) => entry);
  return digest(rest);
}

/** The first digest that does not recompute. */
function differing(document) {
  for (const { submission } of document.entries ?? []) {
    const fault = differing(submission);
    if (fault !== undefined) return fault;
  }
  for (const { digest: declared, name } of document.artifactDigests ?? []) {
    if (digest(part(document, name)) !== declared) return `the digest of ${name} differs`;
  }
  return documentDigest(document) === document.documentDigest ? undefined : "the document digest differs";
}

function part(document, name) {
  switch (name) {
    case "manifest":
      return document.packageArtifact.manifest;
    case "package-artifact":
      return document.packageArtifact;
    default:
      return document.reviewReport;
  }
}

/** The answer: always no. */
export function denial(document) {
  const decision = {
    accepted: false,
    artifact: { digest: document.documentDigest, kind: document.kind },
    gateStatuses: document.gateStatuses,
    installable: false,
    kind: "svc-registry-decision",
    missingGates: document.requiredGates,
    outcome: "denied",
    package: document.package,
    ruleset: document.ruleset,
    schemaVersion: "1.0",
    signed: false,
  };
  return { ...decision, decisionId: digest(decision) };
}
