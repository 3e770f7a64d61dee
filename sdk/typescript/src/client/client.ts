/** The client of a hosted registry: six questions, one answer, and the read-only documents. */

import type { ArtifactKind, ArtifactOf } from "../artifact/kinds.js";
import { toFile } from "../canonical.js";
import { frozen } from "../frozen.js";
import type { AnyProblemCode, Decision } from "../generated/artifacts.js";
import { BASE_PATH, OPERATIONS } from "../generated/table.js";
import { type Node, get, read, textOf } from "../strict-json/tree.js";
import { type Answer, readDecision, readDescription, readDocument, refusal } from "./answer.js";
import { type CallOptions, Connection, type ConnectionOptions } from "./connection.js";
import type { ApiContract, Description, DocumentName, LifecycleCatalog, Limit, Links, ProblemPage, ReadinessLedger, RegistryVersion, RulesetDocument } from "./documents.js";
import { RegistryClientError, UnexpectedAnswerError } from "./errors.js";
import type { Reply } from "./exchange.js";
import { Journal, type JournalCalls, type JournalOptions, namedKeys } from "./journal.js";

export type { Answer } from "./answer.js";

/** What a client needs to know. */
export interface RegistryClientOptions extends ConnectionOptions {
  /** Insists on the journal: the proof of every answer is checked before the caller sees the answer. */
  readonly journal?: JournalOptions;
}

/** The kinds that have an endpoint. */
export type EvaluatedKind = Exclude<ArtifactKind, "svc-registry-submission">;

/** An artifact to send: its file as it is, or the parsed document, which is written in the canonical layout. */
export type Sendable<K extends ArtifactKind> = string | Uint8Array | ArtifactOf[K];

/** A client. `ok` means that an evaluation was completed; the decision in it is a no. */
export interface RegistryClient {
  validateIndex(index: Sendable<"svc-registry-index">, call?: CallOptions): Promise<Answer<Decision>>;
  evaluateAcceptanceRequest(request: Sendable<"svc-registry-acceptance-request">, call?: CallOptions): Promise<Answer<Decision>>;
  evaluatePublisherVerification(document: Sendable<"svc-registry-publisher-verification">, call?: CallOptions): Promise<Answer<Decision>>;
  evaluateReviewEvidence(evidence: Sendable<"svc-registry-review-evidence">, call?: CallOptions): Promise<Answer<Decision>>;
  evaluateSigningRequest(request: Sendable<"svc-registry-signing-request">, call?: CallOptions): Promise<Answer<Decision>>;
  evaluateInstallPolicy(policy: Sendable<"svc-registry-install-policy">, call?: CallOptions): Promise<Answer<Decision>>;
  /** The routes. */
  links(call?: CallOptions): Promise<Answer<Links>>;
  /** The API contract. */
  contract(call?: CallOptions): Promise<Answer<ApiContract>>;
  /** The readiness ledger. */
  readiness(call?: CallOptions): Promise<Answer<ReadinessLedger>>;
  /** The lifecycle catalog. */
  lifecycle(call?: CallOptions): Promise<Answer<LifecycleCatalog>>;
  /** Every rule. */
  ruleset(call?: CallOptions): Promise<Answer<RulesetDocument>>;
  /** Every limit. */
  limits(call?: CallOptions): Promise<Answer<readonly Limit[]>>;
  /** The OpenAPI description. */
  openapi(call?: CallOptions): Promise<Answer<Description>>;
  /** A JSON Schema, such as `submission`. */
  schema(name: string, call?: CallOptions): Promise<Answer<Description>>;
  /** The page of a problem code. */
  problem(code: AnyProblemCode, call?: CallOptions): Promise<Answer<ProblemPage>>;
  /** What is running. */
  version(call?: CallOptions): Promise<Answer<RegistryVersion>>;
  /** The log behind the answers. */
  readonly journal: JournalCalls;
}

const SCHEMA_NAME = /^[a-z]+(-[a-z]+)*$/;

/** Makes a client. Nothing is sent yet. */
export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  const { journal: insisted, ...way } = options;
  const connection = new Connection(way);
  const journal = insisted === undefined ? undefined : new Journal(connection, insisted);
  const send =
    <K extends EvaluatedKind>(kind: K) =>
    (artifact: Sendable<K>, call: CallOptions = {}) =>
      evaluate(connection, journal, kind, artifact, call);
  const document =
    <N extends DocumentName>(path: string, name: N) =>
    (call: CallOptions = {}) =>
      readFrom(connection, path, (reply) => readDocument(reply, name), call);
  const description = (path: string, call: CallOptions = {}) => readFrom(connection, path, readDescription, call);
  return frozen({
    validateIndex: send("svc-registry-index"),
    evaluateAcceptanceRequest: send("svc-registry-acceptance-request"),
    evaluatePublisherVerification: send("svc-registry-publisher-verification"),
    evaluateReviewEvidence: send("svc-registry-review-evidence"),
    evaluateSigningRequest: send("svc-registry-signing-request"),
    evaluateInstallPolicy: send("svc-registry-install-policy"),
    links: document(BASE_PATH, "links"),
    contract: document(`${BASE_PATH}/contract`, "contract"),
    readiness: document(`${BASE_PATH}/readiness`, "readiness"),
    lifecycle: document(`${BASE_PATH}/lifecycle`, "lifecycle"),
    ruleset: document(`${BASE_PATH}/ruleset`, "rule-set"),
    limits: document(`${BASE_PATH}/limits`, "limits"),
    openapi: (call) => description(`${BASE_PATH}/openapi.json`, call),
    schema: async (name, call) => {
      if (!SCHEMA_NAME.test(name)) throw new RegistryClientError("configuration", "no schema has such a name");
      return description(`${BASE_PATH}/schemas/${name}`, call);
    },
    problem: (code, call) => document(`${BASE_PATH}/problems/${encodeURIComponent(code)}`, "problem-page")(call),
    version: document(`${BASE_PATH}/version`, "version"),
    journal: {
      checkpoint: async (call = {}) => known(journal).checkpoint(call),
      entry: async (index, call = {}) => known(journal).entry(index, call),
      proof: async (index, call = {}) => known(journal).proof(index, call),
      checkReceipt: async (file, call = {}) => known(journal).checkReceipt(file, call),
      keys: (call = {}) => namedKeys(connection, call),
    },
  });
}

/** The journal, where its keys were given. */
function known(journal: Journal | undefined): Journal {
  if (journal === undefined) throw new RegistryClientError("configuration", "the option `journal` names no public keys");
  return journal;
}

async function evaluate<K extends EvaluatedKind>(
  connection: Connection,
  journal: Journal | undefined,
  kind: K,
  artifact: Sendable<K>,
  call: CallOptions,
): Promise<Answer<Decision>> {
  const { operation, path } = OPERATIONS[kind];
  const text = typeof artifact === "string" || artifact instanceof Uint8Array ? artifact : toFile(artifact);
  const body = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const floor = journal?.size ?? 0;
  const reply = await connection.post(BASE_PATH + path, body, call);
  const answer = reply.status === 200 ? decided(reply, kind, body) : refusal(reply);
  await journal?.expectProof(reply, answer.ok ? answer.value : answer.problem, { operation, body, floor }, call);
  return answer;
}

function decided(reply: Reply, kind: EvaluatedKind, body: Uint8Array): Answer<Decision> {
  const value = readDecision(reply);
  const root = read(body).root;
  const isThis = value.artifact.kind === kind && value.artifact.digest === textOf(get(root, "documentDigest"));
  if (value.operation !== OPERATIONS[kind].operation || !isThis || !isOfItsPackages(value, root)) {
    throw new UnexpectedAnswerError("unexpected-answer", reply, "the answer is about another document");
  }
  return frozen({ ok: true, value });
}

/** Whether what a decision says of its packages is about those of the document, with the digests that it declares. */
function isOfItsPackages(decision: Decision, root: Node | undefined): boolean {
  const said = decision.entries;
  if (said === undefined) return isOfPackage(decision, root);
  const documents = elementsOf(get(root, "entries"));
  return said.length === documents.length && said.every((entry, at) => isOfPackage(entry, get(documents[at], "submission")));
}

function isOfPackage({ digestCheck }: Pick<Decision, "digestCheck">, document: Node | undefined): boolean {
  const row = elementsOf(get(document, "artifactDigests")).find((one) => textOf(get(one, "name")) === "package-artifact");
  return digestCheck === undefined || digestCheck.declared === textOf(get(row, "digest"));
}

function elementsOf(node: Node | undefined): readonly Node[] {
  return node?.type === "array" ? node.elements : [];
}

async function readFrom<T>(connection: Connection, path: string, reader: (reply: Reply) => T, call: CallOptions): Promise<Answer<T>> {
  const reply = await connection.get(path, call);
  if (reply.status !== 200) return refusal(reply);
  return frozen({ ok: true, value: reader(reply) });
}
