/**
 * A log as one follower knows it: every record hashed in its place, and every signed state held against the root that those
 * hashes give.
 *
 * What comes is not yet proven. It is when a state that counts (signed by the log, and with a policy seen by its quorum) has
 * the root of the records up to there; or, with tiles, when hashes lead from the records to such a state. The hashes of the
 * newest records are kept, so that one which comes again with other bytes is found out, and a state that is a little behind
 * can be compared; before them there is the edge of the tree alone.
 */

import { sameBytes } from "../bytes.js";
import { EventError, LogError, ProofError } from "../client/errors.js";
import { frozen } from "../frozen.js";
import { type Checkpoint, type CheckpointFault, describeCheckpoint, type LogKey, openCheckpoint, type SignedCheckpoint } from "../receipt/checkpoint.js";
import { growthOf } from "../receipt/growth.js";
import { KnownKeys, type ReadNotes } from "../receipt/known-keys.js";
import { growEdge, rootOf, type Subtree } from "../receipt/merkle.js";
import { type Policy, type UnwitnessedFault, witnessed } from "../receipt/policy.js";
import type { ReadTile } from "../receipt/tiles.js";
import { expectStateOf, type FollowerState, type OpenedState, stateOf } from "./follower-state.js";

/** Records that are proven from here on: all from one place up to, and without, another. */
export interface ProvenRange {
  readonly kind: "proven";
  readonly proven: true;
  readonly from: number;
  readonly to: number;
  /** The signed state that covers them. */
  readonly checkpoint: SignedCheckpoint;
  /** What to keep, to go on from here. */
  readonly state: FollowerState;
}

/** How a state came: one that is served now is never behind what was seen; one in a delivery may have waited there. */
export type Arrival = "served" | "delivered";

/** What is demanded of a log, and from where on. */
export interface FollowedLogOptions {
  readonly policy?: Policy | undefined;
  readonly state?: OpenedState | undefined;
  readonly readTile?: ReadTile | undefined;
  /** How many hashes of records are kept; 65,536 unless given, which are 2 MiB. */
  readonly mostLeaves?: number;
}

/** A signed state, and whether it proves anything by the policy. */
interface Seen {
  readonly checkpoint: Checkpoint;
  readonly counts: boolean;
}

/** Everything that changes, to go back to. */
interface Moment {
  readonly edge: readonly Subtree[];
  readonly leafCount: number;
  readonly awaited: readonly Seen[];
  readonly proven: OpenedState | undefined;
}

const MOST_LEAVES = 65_536;
/** How many states may be ahead of the records. */
const MOST_AWAITED = 64;

/** One log, from a place on. */
export class FollowedLog {
  readonly #keys: KnownKeys;
  #readNotes: ReadNotes | undefined;
  readonly #policy: Policy | undefined;
  readonly #readTile: ReadTile | undefined;
  readonly #mostLeaves: number;
  /** The edge of the tree before the leaves that are kept. */
  #base: readonly Subtree[] = [];
  #baseSize = 0;
  #leaves: Uint8Array[] = [];
  #edge: Subtree[] = [];
  #awaited: readonly Seen[] = [];
  #newest: Checkpoint | undefined;
  #proven: OpenedState | undefined;
  #unopened: OpenedState | undefined;

  constructor(keys: readonly LogKey[], { policy, state, readTile, mostLeaves = MOST_LEAVES }: FollowedLogOptions) {
    [this.#keys, this.#policy, this.#readTile, this.#mostLeaves] = [new KnownKeys(keys), policy, readTile, mostLeaves];
    this.#unopened = state;
    if (state !== undefined) this.#standAt(state);
  }

  /** The place of the next record. */
  get next(): number {
    return this.#baseSize + this.#leaves.length;
  }

  /** What was proven. */
  get state(): FollowerState | undefined {
    return this.#proven?.state;
  }

  /** Whether a signed state says that there are more records. */
  get isBehind(): boolean {
    return (this.#newest?.size ?? 0) > this.next;
  }

  /** Whether there are records that are not proven. */
  get isUnproven(): boolean {
    return this.next > (this.#proven?.state.size ?? 0);
  }

  /** Where the notes from key to key are, for a log whose key has changed. */
  notesFrom(readNotes: ReadNotes | undefined): void {
    this.#readNotes ??= readNotes;
  }

  /** Looks at the signature of the state that it began with. */
  async open(): Promise<void> {
    const kept = this.#unopened;
    if (kept === undefined) return;
    const seen = await this.#openNote(kept.state.checkpoint);
    if (!seen.counts) throw new ProofError("proof-quorum-lacking", "the quorum has not seen the state to go on from");
    expectStateOf(kept, seen.checkpoint);
    this.#unopened = undefined;
    this.#newest = seen.checkpoint;
    if (seen.checkpoint.size > this.next) this.#awaited = [seen];
  }

  /** Begins behind everything that a state covers, whose edge is known. */
  async begin(note: string, edgeOf: (checkpoint: Checkpoint) => Promise<readonly Subtree[]>): Promise<FollowerState> {
    const { checkpoint, counts } = await this.#openNote(note);
    if (!counts) throw new ProofError("proof-quorum-lacking", "the quorum has not seen the state to begin with");
    const edge = await edgeOf(checkpoint);
    if (!sameBytes(rootOf(edge), checkpoint.root)) throw new EventError("follow-wrong-root", "the tiles do not lead to the signed root", { evidence: [describeCheckpoint(checkpoint)] });
    this.#standAt(stateOf(edge, checkpoint.size, checkpoint));
    this.#newest = checkpoint;
    return (this.#proven as OpenedState).state;
  }

  /** Takes a record by its hash; whether it is new. */
  take(index: number, leaf: Uint8Array): boolean {
    if (index > this.next) throw new EventError("follow-gap", `the record at ${this.next} is missing: ${index} came in its place`, { index: this.next, evidence: this.#evidence() });
    if (index < this.next) {
      const known = this.#leaves[index - this.#baseSize];
      if (known !== undefined && !sameBytes(known, leaf)) throw new EventError("follow-changed", `the record at ${index} came again, and is another one`, { index, evidence: this.#evidence() });
      return false;
    }
    this.#leaves.push(leaf);
    growEdge(this.#edge, { level: 0, hash: leaf });
    return true;
  }

  /** What is proven by states that were ahead until now. */
  settle(): ProvenRange | undefined {
    const due = this.#awaited.filter(({ checkpoint }) => checkpoint.size <= this.next);
    this.#awaited = this.#awaited.filter(({ checkpoint }) => checkpoint.size > this.next);
    let proven: ProvenRange | undefined;
    for (const seen of due) proven = joinedRange(proven, this.#hold(seen));
    return proven;
  }

  /** Takes note of a signed state; what it proves. */
  async see(note: string, arrival: Arrival): Promise<ProvenRange | undefined> {
    const seen = await this.#openNote(note);
    const { checkpoint } = seen;
    this.#expectOneLog(checkpoint, arrival);
    if (this.#newest === undefined || this.#newest.size <= checkpoint.size) this.#newest = checkpoint;
    if (checkpoint.size <= this.next) return this.#hold(seen);
    const proven = seen.counts && this.isUnproven ? await this.#proveAhead(checkpoint) : undefined;
    this.#await(seen);
    return proven;
  }

  /** Throws unless a larger state has these records, by the hashes of tiles. */
  async expectGrowth(later: Checkpoint, readTile: ReadTile): Promise<void> {
    // Where nothing came there is nothing to hold against it: the records will be.
    if (this.next === 0) return;
    const growth = await growthOf({ ...later, size: this.next, root: rootOf(this.#edge) }, later, readTile);
    if (growth === "grown") return;
    const known = this.#proven?.state;
    if (known === undefined || known.size !== this.next) {
      if (growth === "forked") throw this.#wrongRoot(later);
      throw new EventError("tile-missing", `the log does not serve the hashes that lead from its ${this.next} records to its ${later.size}`, { index: this.next });
    }
    const earlier = { origin: known.origin, size: known.size, rootHash: known.rootHash, note: known.checkpoint };
    if (growth === "forked") throw new LogError("log-forked", "two signed states of the log do not hold the same records", [earlier, describeCheckpoint(later)]);
    throw new LogError("log-unproven", `no hashes lead from the log's ${known.size} records to its ${later.size}`, [earlier, describeCheckpoint(later)]);
  }

  /** The newest state that was seen. */
  get newest(): Checkpoint | undefined {
    return this.#newest;
  }

  mark(): Moment {
    return { edge: [...this.#edge], leafCount: this.#leaves.length, awaited: this.#awaited, proven: this.#proven };
  }

  /** Goes back to before something that does not hold. */
  backTo({ edge, leafCount, awaited, proven }: Moment): void {
    this.#edge = [...edge];
    this.#leaves.length = leafCount;
    [this.#awaited, this.#proven] = [awaited, proven];
  }

  /** Goes back to what was proven: nothing of a source that lied is kept, but for the states that it signed. */
  backToProven(): void {
    if (this.#proven !== undefined) this.#standAt(this.#proven);
    else [this.#base, this.#baseSize, this.#leaves, this.#edge] = [[], 0, [], []];
    this.#awaited = [];
  }

  /** Lets go of the oldest hashes where there are too many. Never between a mark and the way back to it. */
  forget(): void {
    if (this.#leaves.length <= this.#mostLeaves) return;
    const gone = this.#leaves.length - Math.floor(this.#mostLeaves / 2);
    this.#base = this.#edgeAt(this.#baseSize + gone);
    this.#baseSize += gone;
    this.#leaves = this.#leaves.slice(gone);
  }

  #standAt(state: OpenedState): void {
    this.#proven = state;
    [this.#base, this.#baseSize, this.#leaves, this.#edge] = [[...state.edge], state.state.size, [], [...state.edge]];
  }

  async #openNote(note: string): Promise<Seen> {
    const checkpoint = await this.#keys.check((keys, origin) => openCheckpoint(note, keys, origin), this.#readNotes);
    if (typeof checkpoint === "string") throw notSigned(checkpoint);
    if (this.#policy === undefined) return { checkpoint, counts: true };
    const counted = await witnessed(note, this.#policy, this.#keys.all);
    if (typeof counted !== "string") return { checkpoint, counts: true };
    if (counted !== "quorum-lacking") throw notSigned(counted);
    return { checkpoint, counts: false };
  }

  /** Two states of one size have one root, and a log that is asked now is not shorter than it was. */
  #expectOneLog(state: Checkpoint, arrival: Arrival): void {
    const others = [this.#newest, ...this.#awaited.map(({ checkpoint }) => checkpoint)];
    const fork = others.find((other) => other?.size === state.size && !sameBytes(other.root, state.root));
    if (fork !== undefined) throw this.#fail("log-forked", "the log signed two states of one size with different roots", fork, state);
    const newest = this.#newest;
    if (arrival === "served" && newest !== undefined && state.size < newest.size) {
      throw this.#fail("log-shrank", `the log has ${state.size} records, and had ${newest.size}`, newest, state);
    }
  }

  #fail(code: "log-forked" | "log-shrank", message: string, known: Checkpoint, then: Checkpoint): LogError {
    return new LogError(code, message, [describeCheckpoint(known), describeCheckpoint(then)]);
  }

  /** Holds the records against a state that they reach. */
  #hold({ checkpoint, counts }: Seen): ProvenRange | undefined {
    const { size, root } = checkpoint;
    // From so long ago that nothing is left to compare: it proves nothing.
    if (size < this.#baseSize) return undefined;
    const edge = size === this.next ? this.#edge : this.#edgeAt(size);
    if (!sameBytes(rootOf(edge), root)) throw this.#wrongRoot(checkpoint);
    return counts ? this.#prove(edge, size, checkpoint) : undefined;
  }

  /** By tiles: whether the records so far are the beginning of a larger state. */
  async #proveAhead(checkpoint: Checkpoint): Promise<ProvenRange | undefined> {
    if (this.#readTile === undefined) return undefined;
    const here = { ...checkpoint, size: this.next, root: rootOf(this.#edge) };
    const growth = await growthOf(here, checkpoint, this.#readTile);
    if (growth === "forked") throw this.#wrongRoot(checkpoint);
    return growth === "grown" ? this.#prove(this.#edge, this.next, checkpoint) : undefined;
  }

  #prove(edge: readonly Subtree[], size: number, checkpoint: Checkpoint): ProvenRange | undefined {
    const from = this.#proven?.state.size ?? 0;
    if (size <= from) return undefined;
    this.#proven = stateOf(edge, size, checkpoint);
    return frozen({ kind: "proven", proven: true, from, to: size, checkpoint: describeCheckpoint(checkpoint), state: this.#proven.state });
  }

  /** The nearest and the newest states that are ahead; those between are less than both. */
  #await(seen: Seen): void {
    const same = this.#awaited.find(({ checkpoint }) => checkpoint.size === seen.checkpoint.size);
    if (same !== undefined && (same.counts || !seen.counts)) return;
    const sorted = [...this.#awaited.filter((other) => other !== same), seen].sort((left, right) => left.checkpoint.size - right.checkpoint.size);
    if (sorted.length > MOST_AWAITED) sorted.splice(MOST_AWAITED / 2, 1);
    this.#awaited = sorted;
  }

  #edgeAt(size: number): readonly Subtree[] {
    const edge = [...this.#base];
    for (const hash of this.#leaves.slice(0, size - this.#baseSize)) growEdge(edge, { level: 0, hash });
    return edge;
  }

  #wrongRoot(checkpoint: Checkpoint): EventError {
    const message = `the records that came are not those of the signed state of ${checkpoint.size}`;
    const known = this.#evidence().filter(({ note }) => note !== checkpoint.note);
    return new EventError("follow-wrong-root", message, { evidence: [...known, describeCheckpoint(checkpoint)] });
  }

  #evidence(): readonly SignedCheckpoint[] {
    return this.#newest === undefined ? [] : [describeCheckpoint(this.#newest)];
  }
}

function joinedRange(first: ProvenRange | undefined, second: ProvenRange | undefined): ProvenRange | undefined {
  return first === undefined || second === undefined ? (second ?? first) : frozen({ ...second, from: first.from });
}

function notSigned(fault: CheckpointFault | UnwitnessedFault | "forked-keys"): ProofError {
  return new ProofError(`proof-${fault}`, `the checkpoint is not a state that counts: ${fault}`);
}
