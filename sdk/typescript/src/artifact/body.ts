/** The members that a kind adds, as they follow from the package: computed, then compared with what is declared. */

import { canonicalize } from "../canonical.js";
import { ALL_GATES, GATE_STATUSES, MISSING_GATES } from "../closed.js";
import { digestBytes, digestJson } from "../digest.js";
import { encodeBase64 } from "../forms/base64.js";
import type { Descriptor, Manifest, Owner, PackageArtifact, ReviewReport, Ruleset, Visibility } from "./parts.js";
import { PERMISSION_RISKS } from "../generated/forms.js";
import { isControl, trim } from "../unicode.js";
import type { ArtifactKind } from "./kinds.js";

/** What the members of a kind follow from. */
export interface Facts {
  readonly owner: Owner;
  readonly packageArtifact: PackageArtifact;
  readonly ruleset: Ruleset;
  readonly visibility: Visibility;
  readonly artifactDigests: readonly Descriptor[];
  readonly reviewReport?: ReviewReport;
}

/**
 * The members of a kind. The submission's `blockers` are the review's word, and the review needs the package rules: they
 * are not here, and SVC-B013 is not found by this package.
 */
export function bodyOf(kind: Exclude<ArtifactKind, "svc-registry-index">, facts: Facts): { readonly [member: string]: unknown } {
  switch (kind) {
    case "svc-registry-submission":
      return {
        nextGate: MISSING_GATES[0],
        stage: (facts.reviewReport?.counts.blockers ?? 0) > 0 ? "blueprint" : "review-report",
      };
    case "svc-registry-acceptance-request":
      return { requiredGates: ALL_GATES };
    case "svc-registry-publisher-verification":
      return { proofs: proofsOf(facts), publisher: facts.packageArtifact.manifest.publisher };
    case "svc-registry-review-evidence":
      return { storage: { key: storageKey(facts), status: "unstored" } };
    case "svc-registry-signing-request":
      return signingBody(facts);
    case "svc-registry-install-policy":
      return { policy: policyOf(facts.packageArtifact.manifest), requires: ALL_GATES };
  }
}

function proofsOf({ owner, packageArtifact: { manifest } }: Facts): object[] {
  const [top, name] = manifest.id.split(".");
  const domain = `${name}.${top}`;
  const challenge = digestJson({ owner: owner.id, package: manifest.id, publisher: manifest.publisher.id }).digest;
  const proof = (method: string, location: string, expected: string) => ({
    expected: prose(expected),
    location: prose(location),
    method,
    status: "unchecked",
  });
  const proofs = [
    proof("dns-txt", `_svc-publisher.${domain}`, `svc-publisher=${challenge}`),
    proof("well-known-https", `https://${domain}/.well-known/svc-publisher/${manifest.publisher.id}.txt`, challenge),
  ];
  if (manifest.repository !== undefined) {
    proofs.push(proof("oidc-subject", "the subject claim of a build token", subjectOf(manifest.repository.url)));
  }
  return proofs;
}

/** `https://host/owner/name` gives `repo:owner/name`, the form that build services use. */
function subjectOf(repository: string): string {
  const rest = repository.slice("https://".length);
  const slash = rest.indexOf("/");
  const path = slash < 0 ? "" : rest.slice(slash + 1).replace(/\/+$/, "");
  return `repo:${path.endsWith(".git") ? path.slice(0, -".git".length) : path}`;
}

/** One line for people: a long name inside it is cut. */
function prose(text: string): string {
  const line = [...text].filter((character) => !isControl(character.codePointAt(0) ?? 0)).slice(0, 1000).join("");
  return trim(line) || "-";
}

function storageKey({ artifactDigests }: Facts): string {
  // Without the descriptor the key is that of nothing, which fits no store and is found to differ.
  const own = artifactDigests.find((descriptor) => descriptor.name === "review-report")?.digest;
  const digest = own ?? digestBytes(new Uint8Array());
  const hex = digest.slice("sha256:".length);
  return `reviews/sha256/${hex.slice(0, 2)}/${hex}`;
}

function signingBody({ owner, packageArtifact: { manifest }, ruleset, visibility, artifactDigests }: Facts) {
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    predicate: {
      gateStatuses: GATE_STATUSES,
      owner,
      package: { id: manifest.id, version: manifest.version },
      ruleset,
      visibility,
    },
    predicateType: "urn:svc:registry:package-preflight:v1",
    subject: artifactDigests.map(({ digest, name }) => ({ digest: { sha256: digest.slice("sha256:".length) }, name })),
  };
  const payload = encodeBase64(new TextEncoder().encode(canonicalize(statement)));
  return { envelope: { payload, payloadType: "application/vnd.in-toto+json", signatures: [] }, statement };
}

function policyOf(manifest: Manifest): object {
  const { csp, isolation } = manifest.entry;
  return {
    ...(csp === undefined ? {} : { csp }),
    dataCollection: manifest.dataCollection,
    host: manifest.engines.host,
    isolation,
    origins: manifest.network.allow,
    permissions: manifest.permissions.map(({ permission, purpose }) => ({
      permission,
      purpose,
      risk: PERMISSION_RISKS[permission],
    })),
  };
}
