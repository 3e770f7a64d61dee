/**
 * The journal behind a registry: the proof of every answer, and the calls that read the log.
 *
 * Nothing is taken on trust but the public keys, which must come from elsewhere. What the registry serves of its log is
 * used only where it leads to a state that such a key signed.
 */

import { digestBytes } from "../digest.js";
import { frozen } from "../frozen.js";
import type { Decision, JournalAttribution, Problem } from "../generated/artifacts.js";
import { type Checkpoint, describeCheckpoint, type LogKey, readKeys, type SignedCheckpoint } from "../receipt/checkpoint.js";
import { isAt } from "../receipt/growth.js";
import { KnownKeys } from "../receipt/known-keys.js";
import { type Policy, PolicyProblem, readPolicy } from "../receipt/policy.js";
import { describeProof, leafOf, type Proof, prove, type ProvenReceipt, type ReceiptFault } from "../receipt/receipt.js";
import { hasForm, holds, type JournalRecord, type Members } from "../receipt/record.js";
import { proveText } from "../receipt/tlog-proof.js";
import { type Answer, readDocument, refusal } from "./answer.js";
import type { CallOptions, Connection } from "./connection.js";
import { ContractError, ProofError, RegistryClientError } from "./errors.js";
import type { Reply } from "./exchange.js";
import { getText, JOURNAL_PATH, MOST_PROOF_BYTES, notesOf, textOf, tilesOf } from "./log-files.js";
import { expectCounted, type LogReader, readLogStates } from "./log-states.js";
import { expectGrowth, SeenLog } from "./seen-log.js";

/** What it takes to insist on proofs. */
export interface JournalOptions {
  /** The public keys of the log, each as its file has it, from elsewhere than the registry. */
  readonly publicKeys: readonly string[];
  /** Whether an answer without a receipt is an error; it is unless this says `false`. A wrong receipt always is. */
  readonly require?: boolean;
  /**
   * A C2SP tlog-policy, as its file has it: the calls below `journal` count as proven what the newest state holds that has
   * its quorum. An answer does not wait for witnesses: `checkReceipt` ties it to a state that they saw.
   */
  readonly policy?: string;
}

/** The newest signed state; with a policy, the newest that its quorum has seen. */
export interface JournalState extends SignedCheckpoint {
  /** How many records the log has: with a policy it may be ahead of its witnesses. */
  readonly logSize: number;
}

/** A record of the log, proven to be at its place in a signed state; with a policy, in one that its quorum has seen. */
export interface ProvenEntry {
  readonly record: JournalRecord;
  /** Who asked, for those who may know. It is the registry's word: nothing proves it. */
  readonly attribution?: JournalAttribution;
  readonly checkpoint: SignedCheckpoint;
}

/** The calls that read the log. All but `keys` need the option `journal`. */
export interface JournalCalls {
  /** The state that counts, proven to be of the log that this client saw, which has grown. */
  checkpoint(call?: CallOptions): Promise<Answer<JournalState>>;
  /** The record at a place, proven; nothing where the log is shorter, or keeps the hash alone. */
  entry(index: number, call?: CallOptions): Promise<Answer<ProvenEntry | undefined>>;
  /** The record at a place with its proof in one request (C2SP tlog-proof); nothing where the log keeps the hash alone. */
  proof(index: number, call?: CallOptions): Promise<Answer<ProvenEntry | undefined>>;
  /** Checks a stored receipt, or a stored answer with one inside, and that the log still holds it. */
  checkReceipt(document: string | Uint8Array | object, call?: CallOptions): Promise<Answer<ProvenReceipt>>;
  /** The keys that the registry names, the newest first. Compare them; they prove nothing. */
  keys(call?: CallOptions): Promise<Answer<readonly string[]>>;
}

/** What was asked, for the answer to be held against. */
export interface Question {
  readonly operation: string;
  readonly body: Uint8Array;
  /** How many records were known when it was sent. */
  readonly floor: number;
}

const RECORDED: readonly number[] = [200, 422];

/** The keys of an option; `place` is where the option stands. */
export function keysOf({ publicKeys }: Pick<JournalOptions, "publicKeys">, place = "journal."): readonly LogKey[] {
  const isList = Array.isArray(publicKeys) && publicKeys.every((key) => typeof key === "string");
  const keys = isList ? readKeys(publicKeys.join("\n")) : undefined;
  if (keys === undefined) throw new RegistryClientError("configuration", `${place}publicKeys is not a list of public keys of one log`);
  return keys;
}

/** The policy of an option. */
export function policyOf({ policy }: Pick<JournalOptions, "policy">, place = "journal."): Policy | undefined {
  if (policy === undefined) return undefined;
  const read = typeof policy === "string" ? readPolicy(policy) : new PolicyProblem("policy-text");
  if (!(read instanceof PolicyProblem)) return read;
  throw new RegistryClientError("configuration", `${place}policy is not a policy: ${read.code} in line ${read.line}`);
}

/** The keys that a registry names. */
export async function namedKeys(connection: Connection, call: CallOptions): Promise<Answer<readonly string[]>> {
  const reply = await getText(connection, "keys", call);
  if (reply.status !== 200) return refusal(reply);
  const text = textOf(reply);
  if (readKeys(text) === undefined) throw new ContractError(reply, "the answer is not a list of public keys");
  return frozen({ ok: true, value: text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#")) });
}

/** A journal whose keys are known. */
export class Journal {
  readonly #log: LogReader;
  readonly #isRequired: boolean;

  constructor(connection: Connection, options: JournalOptions) {
    this.#log = { connection, keys: new KnownKeys(keysOf(options)), policy: policyOf(options), seen: new SeenLog() };
    this.#isRequired = !Object.hasOwn(options, "require") || options.require !== false;
  }

  /** How many records are known to be on record. */
  get size(): number {
    return this.#log.seen.size;
  }

  /** Throws unless an answer is the one on record, to this question, in a log that grew. Other statuses leave no record. */
  async expectProof(reply: Reply, said: Decision | Problem, question: Question, call: CallOptions): Promise<void> {
    if (!RECORDED.includes(reply.status)) return;
    const requestId = reply.requestId ?? said.requestId;
    if (said.receipt === undefined) {
      if (this.#isRequired) throw new ProofError("proof-missing", "the answer has no receipt", requestId);
      return;
    }
    const proof = await this.#prove(reply.body, requestId, call);
    if (!isOf(proof.record, said, question)) throw new ProofError("proof-other-request", "the record is of another request", requestId);
    if (proof.index < question.floor && proof.checkpoint.size >= question.floor) {
      throw new ProofError("proof-stale", "the record was there before it was asked for", requestId);
    }
    await this.#log.seen.see({ state: proof.checkpoint, floor: question.floor, readTile: tilesOf(this.#log.connection, call), recorded: proof, requestId });
  }

  async checkpoint(call: CallOptions): Promise<Answer<JournalState>> {
    const states = await readLogStates(this.#log, call);
    if (!states.ok) return states;
    const { counted, newest } = states.value;
    return frozen({ ok: true, value: { ...describeCheckpoint(counted), logSize: newest.size } });
  }

  async entry(index: number, call: CallOptions): Promise<Answer<ProvenEntry | undefined>> {
    if (!Number.isSafeInteger(index) || index < 0) throw new RegistryClientError("configuration", "no record has such a place");
    const states = await readLogStates(this.#log, call);
    if (!states.ok) return states;
    const { counted, newest } = states.value;
    if (index >= newest.size) return frozen({ ok: true, value: undefined });
    expectCounted(index, states.value);
    const reply = await this.#log.connection.get(`${JOURNAL_PATH}entries?${index === 0 ? "" : `after=${index - 1}&`}limit=1`, call);
    if (reply.status !== 200) return refusal(reply);
    const [entry] = readDocument(reply, "journal-page").entries;
    if (entry === undefined || entry.record.sequence > index) return frozen({ ok: true, value: undefined });
    const fault = await this.#entryFault(entry.record, index, counted, call);
    if (fault !== undefined) throw new ProofError(`proof-${fault}`, `the log does not hold this record: ${fault}`, reply.requestId);
    return frozen({ ok: true, value: { ...entry, record: entry.record as JournalRecord, checkpoint: describeCheckpoint(counted) } });
  }

  async proof(index: number, call: CallOptions): Promise<Answer<ProvenEntry | undefined>> {
    if (!Number.isSafeInteger(index) || index < 0) throw new RegistryClientError("configuration", "no record has such a place");
    const reply = await getText(this.#log.connection, `proof/${index}`, call, MOST_PROOF_BYTES);
    if (reply.status !== 200) return refusal(reply);
    const { requestId } = reply;
    const text = textOf(reply);
    const proof = await this.#log.keys.check((keys, origin) => proveText(text, index, keys, origin), notesOf(this.#log.connection, call));
    if (typeof proof === "string") throw new ProofError(`proof-${proof}`, `the log does not prove this record: ${proof}`, requestId);
    // A registry with witnesses proves by the state that they have seen, which may be older than the newest known.
    await this.#log.seen.see({ state: proof.checkpoint, floor: 0, readTile: tilesOf(this.#log.connection, call), requestId });
    const { record } = proof;
    let { checkpoint } = proof;
    if (this.#log.policy !== undefined) {
      const states = await readLogStates(this.#log, call);
      if (!states.ok) return states;
      expectCounted(index, states.value);
      // Both are beginnings of the newest state that was seen: what is in both is the same.
      checkpoint = states.value.counted;
    }
    return frozen({ ok: true, value: record === undefined ? undefined : { record, checkpoint: describeCheckpoint(checkpoint) } });
  }

  async checkReceipt(document: unknown, call: CallOptions): Promise<Answer<ProvenReceipt>> {
    const proof = await this.#prove(document, undefined, call);
    const states = await readLogStates(this.#log, call);
    if (!states.ok) return states;
    const { size } = proof.checkpoint;
    await expectGrowth(proof.checkpoint, { state: states.value.newest, floor: size, readTile: tilesOf(this.#log.connection, call), requestId: undefined });
    expectCounted(proof.index, states.value);
    return frozen({ ok: true, value: describeProof(proof) });
  }

  async #prove(document: unknown, requestId: string | undefined, call: CallOptions): Promise<Proof> {
    const proof = await this.#log.keys.check((keys, origin) => prove(document, keys, origin), notesOf(this.#log.connection, call));
    if (typeof proof === "string") throw new ProofError(`proof-${proof}`, `the receipt does not prove the answer: ${proof}`, requestId);
    return proof;
  }

  async #entryFault(record: object, index: number, state: Checkpoint, call: CallOptions): Promise<ReceiptFault | undefined> {
    const members = record as Members;
    if (!hasForm(members)) return "malformed";
    if (!holds(members)) return "not-a-refusal";
    if (members["sequence"] !== index) return "other-place";
    return (await isAt(leafOf(record), index, state, tilesOf(this.#log.connection, call))) ? undefined : "bad-path";
  }
}

/** Whether a record is of this question, and of this answer to it. Every word of the answer is bound already. */
function isOf(record: JournalRecord, said: Decision | Problem, { operation, body }: Question): boolean {
  if (record.operation !== operation) return false;
  if (record.outcome === "refused") return !("artifact" in said) && record.bodyDigest === digestBytes(body);
  return "artifact" in said && record.artifact.digest === said.artifact.digest && record.artifact.kind === said.artifact.kind;
}
