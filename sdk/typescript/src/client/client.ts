/** The client of a hosted registry: six questions, one answer, and the read-only documents. */

import type { ArtifactKind, ArtifactOf } from "../artifact/kinds.js";
import { toFile } from "../canonical.js";
import type { ProblemCode } from "../finding.js";
import { frozen } from "../frozen.js";
import type { Decision, Problem } from "../generated/artifacts.js";
import { BASE_PATH, OPERATIONS } from "../generated/table.js";
import { get, type JsonValue, read, textOf } from "../strict-json/tree.js";
import { baseAddress } from "./address.js";
import { readDecision, readDocument, readProblem } from "./answer.js";
import { RegistryClientError, UnexpectedAnswerError } from "./errors.js";
import { exchange, type Fetch, type Reply } from "./exchange.js";

/** What a client needs to know. */
export interface RegistryClientOptions {
  /** The address of the registry, https unless it is on this machine. */
  readonly baseUrl: string;
  /** Another `fetch` than the platform's. */
  readonly fetch?: Fetch;
  /** A token. It is sent to `baseUrl` and nowhere else. */
  readonly token?: string;
  /** The most milliseconds for one exchange; 30,000 unless given. */
  readonly timeoutMs?: number;
}

/** An answer: a value, or the registry's problem. Both are closed. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

/** An artifact to send: its file as it is, or the parsed document, which is written in the canonical layout. */
export type Sendable<K extends ArtifactKind> = string | Uint8Array | ArtifactOf[K];

/** A client. `ok` means that an evaluation was completed; the decision in it is a no. */
export interface RegistryClient {
  validateIndex(index: Sendable<"svc-registry-index">): Promise<Answer<Decision>>;
  evaluateAcceptanceRequest(request: Sendable<"svc-registry-acceptance-request">): Promise<Answer<Decision>>;
  evaluatePublisherVerification(document: Sendable<"svc-registry-publisher-verification">): Promise<Answer<Decision>>;
  evaluateReviewEvidence(evidence: Sendable<"svc-registry-review-evidence">): Promise<Answer<Decision>>;
  evaluateSigningRequest(request: Sendable<"svc-registry-signing-request">): Promise<Answer<Decision>>;
  evaluateInstallPolicy(policy: Sendable<"svc-registry-install-policy">): Promise<Answer<Decision>>;
  /** The routes. */
  links(): Promise<Answer<JsonValue>>;
  /** The API contract. */
  contract(): Promise<Answer<JsonValue>>;
  /** The readiness ledger. */
  readiness(): Promise<Answer<JsonValue>>;
  /** The lifecycle catalog. */
  lifecycle(): Promise<Answer<JsonValue>>;
  /** Every rule. */
  ruleset(): Promise<Answer<JsonValue>>;
  /** Every limit. */
  limits(): Promise<Answer<JsonValue>>;
  /** The OpenAPI description. */
  openapi(): Promise<Answer<JsonValue>>;
  /** A JSON Schema, such as `submission`. */
  schema(name: string): Promise<Answer<JsonValue>>;
  /** The page of a problem code. */
  problem(code: ProblemCode): Promise<Answer<JsonValue>>;
  /** What is running. */
  version(): Promise<Answer<JsonValue>>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const TOKEN = /^[\x21-\x7e]+$/;
const SCHEMA_NAME = /^[a-z]+(-[a-z]+)*$/;

/** Makes a client. Nothing is sent yet. */
export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  const registry = new Registry(options);
  const send =
    <K extends Exclude<ArtifactKind, "svc-registry-submission">>(kind: K) =>
    (artifact: Sendable<K>) =>
      registry.evaluate(kind, artifact);
  const document = (path: string, makesStatements = true) => () => registry.document(path, makesStatements);
  return frozen({
    validateIndex: send("svc-registry-index"),
    evaluateAcceptanceRequest: send("svc-registry-acceptance-request"),
    evaluatePublisherVerification: send("svc-registry-publisher-verification"),
    evaluateReviewEvidence: send("svc-registry-review-evidence"),
    evaluateSigningRequest: send("svc-registry-signing-request"),
    evaluateInstallPolicy: send("svc-registry-install-policy"),
    links: document(BASE_PATH),
    contract: document(`${BASE_PATH}/contract`),
    readiness: document(`${BASE_PATH}/readiness`),
    lifecycle: document(`${BASE_PATH}/lifecycle`),
    ruleset: document(`${BASE_PATH}/ruleset`),
    limits: document(`${BASE_PATH}/limits`),
    // These two describe members, also those called `accepted`; they do not state them.
    openapi: document(`${BASE_PATH}/openapi.json`, false),
    schema: async (name) => {
      if (!SCHEMA_NAME.test(name)) throw new RegistryClientError("configuration", "no schema has such a name");
      return registry.document(`${BASE_PATH}/schemas/${name}`, false);
    },
    problem: (code) => registry.document(`/problems/${encodeURIComponent(code)}`, true),
    version: document("/version"),
  });
}

class Registry {
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;
  readonly #authorization: { readonly [name: string]: string };

  constructor({ baseUrl, fetch, token, timeoutMs = DEFAULT_TIMEOUT_MS }: RegistryClientOptions) {
    this.#base = baseAddress(baseUrl);
    this.#fetch = fetch ?? ((address, request) => globalThis.fetch(address, request));
    if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2 ** 31 - 1) {
      throw new RegistryClientError("configuration", "timeoutMs is not a number of milliseconds");
    }
    this.#timeoutMs = timeoutMs;
    if (token !== undefined && !TOKEN.test(token)) {
      throw new RegistryClientError("configuration", "the token holds characters that no token has");
    }
    this.#authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async evaluate<K extends Exclude<ArtifactKind, "svc-registry-submission">>(
    kind: K,
    artifact: Sendable<K>,
  ): Promise<Answer<Decision>> {
    const { operation, path } = OPERATIONS[kind];
    const text = typeof artifact === "string" || artifact instanceof Uint8Array ? artifact : toFile(artifact);
    const body = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const headers = { accept: "application/json", "content-type": "application/json", ...this.#authorization };
    const reply = await exchange(this.#fetch, { method: "POST", address: this.#base + BASE_PATH + path, headers, body }, this.#timeoutMs);
    if (reply.status !== 200) return refusal(reply);
    expectType(reply, "application/json");
    const value = readDecision(reply.status, reply.body);
    const digest = textOf(get(read(body).root, "documentDigest"));
    if (value.operation !== operation || value.artifact.kind !== kind || value.artifact.digest !== digest) {
      throw new UnexpectedAnswerError(reply.status, "the answer is about another document");
    }
    return frozen({ ok: true, value });
  }

  async document(path: string, makesStatements: boolean): Promise<Answer<JsonValue>> {
    const headers = { accept: "application/json", ...this.#authorization };
    const reply = await exchange(this.#fetch, { method: "GET", address: this.#base + path, headers }, this.#timeoutMs);
    if (reply.status !== 200) return refusal(reply);
    expectType(reply, "application/json", "application/schema+json");
    return frozen({ ok: true, value: readDocument(reply.status, reply.body, makesStatements) });
  }
}

function refusal(reply: Reply): { readonly ok: false; readonly problem: Problem } {
  expectType(reply, "application/problem+json");
  return frozen({ ok: false, problem: readProblem(reply.status, reply.body) });
}

function expectType({ status, mediaType }: Reply, ...known: readonly string[]): void {
  if (!known.includes(mediaType)) throw new UnexpectedAnswerError(status, `the answer is not ${known[0]}`);
}
