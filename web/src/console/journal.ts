// The log as this visit reads it: pages of records, each proven against a signed state, and what comes after by the stream.

import { readDocument, refusal } from "../../../sdk/typescript/src/client/answer.ts";
import { ContractError, LogError, ProofError } from "../../../sdk/typescript/src/client/errors.ts";
import { getText, JOURNAL_PATH, MOST_PROOF_BYTES, textOf, tilesOf } from "../../../sdk/typescript/src/client/log-files.ts";
import type { JournalAttribution } from "../../../sdk/typescript/src/generated/artifacts.ts";
import { EVENT_TYPES } from "../../../sdk/typescript/src/generated/events.ts";
import { sameBytes } from "../../../sdk/typescript/src/bytes.ts";
import { isOpen } from "../../../sdk/typescript/src/open-claim.ts";
import { type Checkpoint, describeCheckpoint, openCheckpoint } from "../../../sdk/typescript/src/receipt/checkpoint.ts";
import { growthOf } from "../../../sdk/typescript/src/receipt/growth.ts";
import { leafHash, rootOf, type Subtree } from "../../../sdk/typescript/src/receipt/merkle.ts";
import { leafOf } from "../../../sdk/typescript/src/receipt/receipt.ts";
import { hasForm, holds, type JournalRecord, type Members, membersOf } from "../../../sdk/typescript/src/receipt/record.ts";
import { type ReadTile, readSpans } from "../../../sdk/typescript/src/receipt/tiles.ts";
import { proveText } from "../../../sdk/typescript/src/receipt/tlog-proof.ts";
import { read, valueOf } from "../../../sdk/typescript/src/strict-json/tree.ts";
import { REGISTRY } from "./address.ts";
import { eventsOf, StreamFault } from "./event-stream.ts";
import { Failure } from "./failure.ts";
import type { LogKeys, Session } from "./session.ts";

/** A record with what the server says beside it. */
export interface Entry {
  readonly record: JournalRecord;
  readonly attribution?: JournalAttribution;
}

/** A checkpoint that the keys in use have signed. */
export type State = Checkpoint;

export const typeOf = ({ outcome, problem }: JournalRecord): string => {
  if (outcome === "denied") return "registry.decision.denied";
  const types = Object.values(EVENT_TYPES) as readonly { readonly type: string; readonly problems: readonly string[] }[];
  // A problem that only a later version knows is a rejection.
  return types.find(({ problems }) => problems.includes(problem))?.type ?? "registry.artifact.rejected";
};

/** What one visit of a page reads of the log. */
export class LogView {
  readonly keys: LogKeys;
  readonly #session: Session;
  readonly #signal: AbortSignal;
  readonly #tiles = new Map<string, Promise<Uint8Array | undefined>>();

  constructor(session: Session, keys: LogKeys, signal: AbortSignal) {
    this.#session = session;
    this.keys = keys;
    this.#signal = signal;
  }

  /** Tiles by their path: one of a given width never changes. */
  readonly readTile: ReadTile = (path) => {
    const known = this.#tiles.get(path);
    if (known !== undefined) return known;
    const asked = tilesOf(this.#session.connection(), { signal: this.#signal })(path);
    this.#tiles.set(path, asked);
    asked.then((tile) => tile === undefined && this.#tiles.delete(path), () => this.#tiles.delete(path));
    return asked;
  };

  /** The signed state under a name; nothing where the server has none. */
  async state(name: "checkpoint" | "witnessed-checkpoint"): Promise<State | undefined> {
    const reply = await getText(this.#session.connection(), name, { signal: this.#signal });
    if (reply.status === 404) return undefined;
    if (reply.status !== 200) throw Failure.of(refusal(reply).problem);
    return this.open(textOf(reply));
  }

  /** A signed note, held against the keys in use. */
  async open(note: string): Promise<State> {
    const state = await openCheckpoint(note, this.keys.keys, this.keys.origin);
    if (typeof state === "string") throw new ProofError(`proof-${state}`, `the checkpoint is not one of this log: ${state}`, undefined);
    return state;
  }

  /** Throws unless one state has grown into the other. */
  async expectGrowth(earlier: State, later: State): Promise<void> {
    const growth = earlier.size > later.size ? "shrank" : await growthOf(earlier, later, this.readTile);
    if (growth === "grown") return;
    const states = [describeCheckpoint(earlier), describeCheckpoint(later)] as const;
    if (growth === "shrank") throw new LogError("log-shrank", `the log has ${later.size} records, and had ${earlier.size}`, states, undefined);
    const words = growth === "forked" ? "two signed states of the log do not hold the same records" : "the server does not prove that its log has grown from the one that was seen";
    throw new LogError(growth === "forked" ? "log-forked" : "log-unproven", words, states, undefined);
  }

  /** The records before a place, the oldest first, proven to be at their places in a state. */
  async before(place: number, state: State, limit: number): Promise<readonly Entry[]> {
    const first = Math.max(0, place - limit);
    if (place === 0) return [];
    const reply = await this.#session.connection().get(`${JOURNAL_PATH}entries?before=${place}&limit=${place - first}`, { signal: this.#signal });
    if (reply.status !== 200) throw Failure.of(refusal(reply).problem);
    const entries = [...readDocument(reply, "journal-page").entries].sort((left, right) => left.record.sequence - right.record.sequence);
    const records = entries.map(({ record }) => recordOf(record as unknown as Members));
    // Records that were pruned are left out at the beginning, and nowhere else.
    const wrong = records.findIndex((record, at) => record.sequence !== place - records.length + at);
    if (wrong >= 0) throw new ContractError(reply, "the records are not those that were asked for");
    await this.#expectIn(records, state);
    return entries.map(({ attribution }, at) => ({ record: records[at] as JournalRecord, ...(attribution === undefined ? {} : { attribution }) }));
  }

  /** Throws unless records, one after the other, are in a state. */
  async #expectIn(records: readonly JournalRecord[], state: State): Promise<void> {
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) return;
    const left = await this.edge(first.sequence, state);
    const [right] = (await readSpans([last.sequence + 1, state.size], state.size, this.readTile)) ?? [];
    const leaves = records.map((record): Subtree => ({ level: 0, hash: leafOf(record) }));
    if (right === undefined || !sameBytes(rootOf([...left, ...leaves, ...right]), state.root)) {
      throw new ProofError("proof-bad-path", "the records are not those of the signed state", undefined);
    }
  }

  /** The whole subtrees over everything before a place, as the tiles of a state have them. */
  async edge(place: number, state: State): Promise<readonly Subtree[]> {
    const [left] = (await readSpans([0, place], state.size, this.readTile)) ?? [];
    if (left === undefined) throw new ProofError("proof-bad-path", "the log does not serve the hashes of its own records", undefined);
    return left;
  }

  /** The proof of one record as text, checked. */
  async proof(index: number): Promise<{ readonly text: string; readonly state: State }> {
    const reply = await getText(this.#session.connection(), `proof/${index}`, { signal: this.#signal }, MOST_PROOF_BYTES);
    if (reply.status !== 200) throw Failure.of(refusal(reply).problem);
    const text = textOf(reply);
    const proof = await proveText(text, index, this.keys.keys, this.keys.origin);
    if (typeof proof === "string") throw new ProofError(`proof-${proof}`, `the log does not prove this record: ${proof}`, reply.requestId);
    return { text, state: proof.checkpoint };
  }

  /**
   * What the stream sends after a state: every record, and after them a signed state that holds just those. Ends when the
   * stream does, which is normal.
   */
  async *follow(from: State): AsyncGenerator<{ readonly record: JournalRecord } | { readonly state: State }> {
    const response = await this.#openStream(from.size);
    let subtrees = [...(await this.edge(from.size, from))];
    let [size, confirmed] = [from.size, from.size];
    for await (const { id, event, data } of eventsOf(response)) {
      if (event === "checkpoint") {
        const state = await this.open(`${data}\n`);
        if (state.size < confirmed) throw new StreamFault("the stream sent an older state than before");
        // A state of fewer records says nothing of those behind it: they wait for the next.
        if (state.size < size) continue;
        if (state.size > size) throw new StreamFault("the stream left out records before a state");
        if (!sameBytes(rootOf(subtrees), state.root)) throw new ProofError("proof-bad-path", "the records of the stream are not those of the signed state", undefined);
        confirmed = size;
        yield { state };
        continue;
      }
      if (id !== String(size)) throw new StreamFault("the stream left out a record, or sent one twice");
      const record = streamedRecord(data, size);
      if (event !== typeOf(record)) throw new StreamFault("the stream calls a record what it is not");
      subtrees = joinedTo(subtrees, { level: 0, hash: leafHash(new TextEncoder().encode(data)) });
      size += 1;
      yield { record };
    }
  }

  async #openStream(size: number): Promise<ReadableStream<Uint8Array>> {
    const query = size === 0 ? "probes=true" : `after=${size - 1}&probes=true`;
    const response = await fetch(`${REGISTRY}${JOURNAL_PATH}stream?${query}`, {
      headers: { accept: "text/event-stream", ...this.#session.authorization },
      signal: this.#signal,
      redirect: "error",
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
    const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim();
    if (response.status === 200 && type === "text/event-stream" && response.body !== null) return response.body;
    response.body?.cancel().catch(() => {});
    if (response.status === 409) throw new Failure("The server says that its log is shorter than the signed state that this page has seen.", "ahead-of-log");
    throw new Failure(`The stream was answered with ${response.status}.`, response.status === 404 ? "not-found" : undefined);
  }
}

/** Trees side by side, as few as there can be. */
function joinedTo(subtrees: readonly Subtree[], leaf: Subtree): Subtree[] {
  const made = [...subtrees];
  let grown = leaf;
  for (let left = made.at(-1); left !== undefined && left.level === grown.level; left = made.at(-1)) {
    grown = { level: grown.level + 1, hash: rootOf([left, grown]) };
    made.pop();
  }
  return [...made, grown];
}

/** A record, or a throw: whatever else it is, it is not a no. */
function recordOf(members: Members): JournalRecord {
  if (!hasForm(members)) throw new ProofError("proof-malformed", "the server sent a record that is none", undefined);
  if (!holds(members)) throw new ProofError("proof-not-a-refusal", "the server sent a record that is not a refusal", undefined);
  return members as unknown as JournalRecord;
}

function streamedRecord(data: string, place: number): JournalRecord {
  const { root, faults } = read(data);
  if (root !== undefined && isOpen(root)) throw new ProofError("proof-not-a-refusal", "the stream sent a record that claims to be open", undefined);
  const members = root === undefined || faults.length > 0 ? undefined : membersOf(valueOf(root));
  if (members === undefined) throw new StreamFault("the stream sent a record that is not strict JSON");
  const record = recordOf(members);
  if (record.sequence !== place) throw new StreamFault("the stream sent a record at another place than its own");
  // A record has one spelling, and its hash is over that.
  if (!sameBytes(leafOf(record), leafHash(new TextEncoder().encode(data)))) throw new StreamFault("the stream sent a record in another spelling than its own");
  return record;
}
