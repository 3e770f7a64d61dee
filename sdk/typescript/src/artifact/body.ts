/** The members that a kind adds, as they follow from the package: computed, then compared with what is declared. */

import { canonicalize } from "../canonical.js";
import { ALL_GATES, GATE_STATUSES, MISSING_GATES } from "../closed.js";
import { digestBytes, digestJson } from "../digest.js";
import { encodeBase64 } from "../forms/base64.js";
import { isText } from "../forms/form.js";
import { liesBelow, proofHost } from "../package/namespace.js";
import type { Manifest } from "../parts.js";
import { blockersOf } from "../review/blockers.js";
import { capabilitiesOf } from "../review/report.js";
import { stageOf } from "../stage.js";
import type { Basis } from "./basis.js";
import type { ArtifactKind } from "./kinds.js";

/** The members of a kind. */
export function bodyOf(kind: Exclude<ArtifactKind, "svc-registry-index">, basis: Basis): { readonly [member: string]: unknown } {
  switch (kind) {
    case "svc-registry-submission":
      return {
        blockers: basis.reviewReport === undefined ? [] : blockersOf(basis.reviewReport, basis.visibility === "public"),
        nextGate: MISSING_GATES[0],
        // By the rules that it names, which refuse a manifest with an error: what they leave open is whether it has an icon.
        stage: stageOf({ listing: basis.packageArtifact.manifest.icons.length > 0, report: true, entry: false }),
      };
    case "svc-registry-acceptance-request":
      return { requiredGates: ALL_GATES };
    case "svc-registry-publisher-verification":
      return { proofs: proofsOf(basis), publisher: declaredPublisher(basis.packageArtifact.manifest) };
    case "svc-registry-review-evidence":
      return { storage: { key: storageKey(basis), status: "unstored" } };
    case "svc-registry-signing-request":
      return signingBody(basis);
    case "svc-registry-install-policy":
      return { policy: policyOf(basis.packageArtifact.manifest), requires: ALL_GATES };
  }
}

function declaredPublisher({ publisher: { id, url } }: Manifest): object {
  return { id, ...(url === undefined ? {} : { url }) };
}

function proofsOf({ owner, packageArtifact: { manifest } }: Basis): object[] {
  const { id, publisher, repository } = manifest;
  const value = digestJson({ owner: owner.id, package: id, publisher: publisher.id });
  const host = publisher.url === undefined ? undefined : proofHost(id, publisher.url);
  const claim = repository === undefined ? undefined : buildClaim(id, repository.url);
  const name = `_svc-publisher.${host}`;
  const status = "unchecked";
  return [
    ...(host === undefined || name.length > 253 ? [] : [{ method: "dns-txt", name, status, value }]),
    ...(host === undefined
      ? []
      : [{ method: "well-known-https", status, url: `https://${host}/.well-known/svc-publisher/${id}`, value }]),
    ...(claim === undefined ? [] : [{ ...claim, method: "oidc-claim", status }]),
  ];
}

interface BuildService {
  readonly issuer: string;
  readonly claim: string;
  /** What the ids of an account's packages start with, before the account. */
  readonly namespaces: readonly string[];
}

const BUILD_SERVICES: { readonly [host: string]: BuildService } = {
  "github.com": {
    issuer: "https://token.actions.githubusercontent.com",
    claim: "repository",
    namespaces: ["com.github", "io.github"],
  },
  "gitlab.com": { issuer: "https://gitlab.com", claim: "project_path", namespaces: ["com.gitlab", "io.gitlab"] },
};

/** Who issues tokens for the builds of a repository, and the claim that names it, when the id is its owner's to give. */
function buildClaim(id: string, repository: string): object | undefined {
  const [, host = "", path = ""] = /^https:\/\/([^/]*)\/(.*)$/.exec(repository) ?? [];
  const value = path.replace(/\/+$/, "").replace(/\.git$/, "");
  const service = Object.hasOwn(BUILD_SERVICES, host) ? BUILD_SERVICES[host] : undefined;
  if (service === undefined || !isText("repository-name", value)) return undefined;
  const owner = value.slice(0, value.lastIndexOf("/"));
  // GitHub has no groups: what is longer is a page of a repository, which no token names.
  if (service.claim === "repository" && owner.includes("/")) return undefined;
  if (!service.namespaces.some((namespace) => liesBelow(id, namespace, owner))) return undefined;
  return { claim: { name: service.claim, value }, issuer: service.issuer };
}

function storageKey({ artifactDigests }: Basis): string {
  // Without the descriptor the key is that of nothing, which fits no store and is found to differ.
  const own = artifactDigests.find((descriptor) => descriptor.name === "review-report")?.digest;
  const digest = own ?? digestBytes(new Uint8Array());
  const hex = digest.slice("sha256:".length);
  return `reviews/sha256/${hex.slice(0, 2)}/${hex}`;
}

function signingBody({ owner, packageArtifact: { manifest }, ruleset, visibility, artifactDigests }: Basis) {
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    predicate: {
      gateStatuses: GATE_STATUSES,
      owner: { id: owner.id },
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
  const { csp } = manifest.entry;
  return { ...capabilitiesOf(manifest), ...(csp === undefined ? {} : { csp }), host: manifest.engines.host };
}
