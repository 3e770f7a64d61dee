// The log as this visit reads it: pages of records, each proven against a signed state, and what comes after by the stream.

import { readDocument, refusal } from "../../../sdk/typescript/src/client/answer.ts";
import { ContractError, EventError, LogError, ProofError } from "../../../sdk/typescript/src/client/errors.ts";
import { getText, JOURNAL_PATH, MOST_PROOF_BYTES, textOf, tilesOf } from "../../../sdk/typescript/src/client/log-files.ts";
import { Follower } from "../../../sdk/typescript/src/events/follower.ts";
import { stateOf } from "../../../sdk/typescript/src/events/follower-state.ts";
import type { JournalAttribution } from "../../../sdk/typescript/src/generated/artifacts.ts";
import { EVENT_TYPES } from "../../../sdk/typescript/src/generated/events.ts";
import { sameBytes } from "../../../sdk/typescript/src/bytes.ts";
import { type Checkpoint, type CheckpointFault, describeCheckpoint, openCheckpoint } from "../../../sdk/typescript/src/receipt/checkpoint.ts";
import { growthOf } from "../../../sdk/typescript/src/receipt/growth.ts";
import { rootOf, type Subtree } from "../../../sdk/typescript/src/receipt/merkle.ts";
import { leafOf } from "../../../sdk/typescript/src/receipt/receipt.ts";
import { hasForm, holds, type JournalRecord, type Members } from "../../../sdk/typescript/src/receipt/record.ts";
import { type ReadTile, readSpans } from "../../../sdk/typescript/src/receipt/tiles.ts";
import { proveText } from "../../../sdk/typescript/src/receipt/tlog-proof.ts";
import { Failure } from "./failure.ts";
import type { LogKeys, Session } from "./session.ts";

/** Every record is asked for, probes too: with any left out, no root can be computed. */
const STREAM_PATH = `${JOURNAL_PATH}stream?probes=true`;

/** A registry sends something every ten seconds. */
const IDLE_MS = 30_000;

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

/** A text that is no signed state of this log. It is kept as it came: it is evidence too. */
export class RefusedState extends ProofError {
  readonly note: string;

  constructor(fault: CheckpointFault, note: string) {
    super(`proof-${fault}`, `the checkpoint is not one of this log: ${fault}`);
    this.note = note;
  }
}

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
    if (reply.status === 200) return this.open(textOf(reply));
    // A page of somebody on the way is no word of the registry, and is thrown here.
    const { problem } = refusal(reply);
    if (problem.status === 404) return undefined;
    throw Failure.of(problem, this.#session.token);
  }

  /** A signed note, held against the keys in use. */
  async open(note: string): Promise<State> {
    const state = await openCheckpoint(note, this.keys.keys, this.keys.origin);
    if (typeof state === "string") throw new RefusedState(state, note);
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
    if (reply.status !== 200) throw Failure.of(refusal(reply).problem, this.#session.token);
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
    if (reply.status !== 200) throw Failure.of(refusal(reply).problem, this.#session.token);
    const text = textOf(reply);
    const proof = await proveText(text, index, this.keys.keys, this.keys.origin);
    if (typeof proof === "string") throw new ProofError(`proof-${proof}`, `the log does not prove this record: ${proof}`, reply.requestId);
    return { text, state: proof.checkpoint };
  }

  /**
   * What the stream sends after a state, by the SDK's follower: every record, and after them a signed state that holds just
   * those. `heard` is told when the stream answers and whenever it sends anything. Ends when the stream does, which is normal.
   */
  async *follow(from: State, heard: () => void): AsyncGenerator<{ readonly record: JournalRecord } | { readonly state: State }> {
    const edge = await this.edge(from.size, from);
    if (!sameBytes(rootOf(edge), from.root)) throw new ProofError("proof-bad-path", "the hashes that the server serves are not those of the signed state that was seen", undefined);
    const { state } = stateOf(edge, from.size, from);
    const follower = new Follower({ publicKeys: this.keys.lines, state });
    const [path, last] = from.size === 0 ? [`${STREAM_PATH}&from=0`, undefined] : [STREAM_PATH, from.size - 1];
    const response = await this.#session.connection().stream(path, { signal: this.#signal }, last);
    if (response.status === 200) heard();
    const between = async function* (): AsyncGenerator<never, void> {
      heard();
    };
    try {
      for await (const event of follower.stream(response, { idleMs: IDLE_MS, answerMs: IDLE_MS, signal: this.#signal }, between)) {
        yield event.kind === "record" ? { record: event.record } : { state: await this.open(event.checkpoint.note) };
      }
    } catch (error) {
      // A refusal is told as everywhere, with what to do about a token. Where there is no stream, that is no refusal.
      const problem = error instanceof EventError && error.code === "follow-refused" ? error.problem : undefined;
      throw problem === undefined || problem.status === 404 ? error : Failure.of(problem, this.#session.token);
    }
  }
}

/** A record, or a throw: whatever else it is, it is not a no. */
function recordOf(members: Members): JournalRecord {
  if (!hasForm(members)) throw new ProofError("proof-malformed", "the server sent a record that is none", undefined);
  if (!holds(members)) throw new ProofError("proof-not-a-refusal", "the server sent a record that is not a refusal", undefined);
  return members as unknown as JournalRecord;
}
