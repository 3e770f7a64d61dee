/**
 * Follows a log: by its stream, by webhooks, or by its tiles, in any order and one after the other.
 *
 * Every record is handed out once, in order, as one that is not yet proven; then the range is, when a signed state covers it.
 * Whatever does not hold is thrown: a gap, another record in the place of one that came, a wrong root or signature, another
 * log, a shorter one, a yes. What a stream or tiles brought since the last proven state is then forgotten. So is the delivery
 * that it was in; and where that contradicts others before it, everything that is not proven, as nobody can tell which lied.
 */

import { EventError, LogError, RegistryClientError } from "../client/errors.js";
import { keysOf, policyOf } from "../client/journal.js";
import { frozen } from "../frozen.js";
import { leafHash } from "../receipt/merkle.js";
import { leafOf } from "../receipt/receipt.js";
import { readSpans } from "../receipt/tiles.js";
import { bytesOf, type ByteSource, type Patience } from "./byte-source.js";
import { isDelivery, type WebhookDelivery } from "./delivery.js";
import { type LogFiles, readEntryTile } from "./entry-tiles.js";
import { type EventRecord, readEventRecord } from "./event-record.js";
import { EventStreamReader, type StreamEvent } from "./event-stream.js";
import { FollowedLog, type ProvenRange } from "./followed-log.js";
import { type FollowerState, openState } from "./follower-state.js";
import { isNoLie } from "./retryable.js";

/** What a follower needs to know. */
export interface FollowerOptions {
  /** The public keys of the log, each as its file has it, from elsewhere than the registry. */
  readonly publicKeys: readonly string[];
  /** A C2SP tlog-policy, as its file has it: only what its quorum has seen is proven. */
  readonly policy?: string;
  /** What a follower handed out before, as it is or as JSON text; from the first record on unless given. */
  readonly state?: FollowerState | string | undefined;
  /** Where the hashes of the log are. With them a delivery is proven at once, and does not wait for the records after it. */
  readonly files?: LogFiles;
}

/** A record, as it came. */
export interface FollowedRecord extends EventRecord {
  readonly kind: "record";
  /** It is when a `proven` range covers it. */
  readonly proven: false;
}

/** What a follower hands out. */
export type FollowedEvent = FollowedRecord | ProvenRange;

/** What goes on from a state, or begins with the first record. */
export class Follower {
  readonly #log: FollowedLog;
  readonly #hasPolicy: boolean;
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ publicKeys, policy, state, files }: FollowerOptions) {
    const readTile = files === undefined ? undefined : (path: string) => files.tile(path);
    this.#hasPolicy = policy !== undefined;
    this.#log = new FollowedLog(keysOf({ publicKeys }, ""), {
      policy: policy === undefined ? undefined : policyOf({ policy }, ""),
      state: state === undefined ? undefined : openState(state),
      readTile,
    });
    if (files !== undefined) this.notesFrom(files);
  }

  /** Takes the notes from key to key from there, where a change of keys has to be followed. */
  notesFrom(files: LogFiles): void {
    this.#log.notesFrom(files.handOvers && (() => files.handOvers?.() ?? Promise.resolve(undefined)));
  }

  get state(): FollowerState | undefined {
    return this.#log.state;
  }

  get nextIndex(): number {
    return this.#log.next;
  }

  /** Whether a signed state says that there are more records. */
  get isBehind(): boolean {
    return this.#log.isBehind;
  }

  /** Whether there are records that are not proven. */
  get isUnproven(): boolean {
    return this.#log.isUnproven;
  }

  begin(files: LogFiles): Promise<FollowerState> {
    this.notesFrom(files);
    return this.#inTurn(async () => {
      if (this.#log.next > 0 || this.#log.newest !== undefined) throw new EventError("follow-begun", "the follower has begun already");
      const witnessed = this.#hasPolicy ? await files.witnessedCheckpoint?.() : undefined;
      const note = witnessed ?? (await files.checkpoint());
      return this.#log.begin(note, async ({ size }) => {
        const [edge] = size === 0 ? [[]] : ((await readSpans([0, size], size, (path) => files.tile(path))) ?? []);
        if (edge === undefined) throw new EventError("tile-missing", "the log does not serve the hashes of its tree");
        return edge;
      });
    });
  }

  /** `between` is asked after each event, and after each piece of the stream that has none. */
  async *stream(source: ByteSource, patience?: Patience, between?: () => AsyncGenerator<FollowedEvent, void>): AsyncGenerator<FollowedEvent, void> {
    const reader = new EventStreamReader();
    for await (const bytes of bytesOf(source, patience)) {
      if (!(bytes instanceof Uint8Array)) throw new RegistryClientError("configuration", "the source gives something else than bytes");
      for (const event of this.#whole(reader, bytes)) {
        yield* event.kind === "record" ? this.#takeOne(event) : await this.#orBack(() => this.#seen(event.note));
        if (between !== undefined) yield* between();
      }
      if (between !== undefined) yield* between();
    }
  }

  delivery(delivery: WebhookDelivery): Promise<readonly FollowedEvent[]> {
    if (!isDelivery(delivery)) throw new TypeError("only what verifyWebhook gave is a delivery");
    if (delivery.type === "registry.test") return Promise.resolve(frozen([]));
    const { checkpoint, filtered, from, records } = delivery.data;
    return this.#inTurn(async () => {
      // With records left out, no root can be computed, and a gap is no gap.
      if (filtered) throw new EventError("follow-filtered", "an endpoint that asks for some types alone cannot be followed", { index: from });
      const before = this.#log.mark();
      try {
        const taken = records.filter(({ index, record }) => this.#log.take(index, leafOf(record)));
        const ranges = [this.#log.settle(), await this.#log.see(checkpoint, "delivered")];
        this.#log.forget();
        return frozen([...taken.map(asFollowed), ...ranges.flatMap((range) => range ?? [])]);
      } catch (cause) {
        this.#log.backTo(before);
        if (contradicts(cause) && this.#log.isUnproven) this.#log.backToProven();
        throw cause;
      }
    });
  }

  async *tiles(files: LogFiles): AsyncGenerator<FollowedEvent, void> {
    this.notesFrom(files);
    const readTile = (path: string) => files.tile(path);
    const note = await files.checkpoint();
    yield* await this.#orBack(() => this.#seen(note));
    const { newest } = this.#log;
    if (newest === undefined) return;
    await this.#orBack(() => this.#inTurn(() => this.#log.expectGrowth(newest, readTile)));
    while (this.#log.next < newest.size) {
      const { first, entries } = await this.#orBack(() => readEntryTile(this.#log.next, newest.size, files));
      for (const [at, data] of entries.entries()) {
        if (first + at >= this.#log.next) yield* this.#takeOne({ kind: "record", index: first + at, data });
      }
    }
    yield* this.witnessed(files);
  }

  /** What the witnesses have seen by now of what is not proven yet. */
  async *witnessed(files: LogFiles): AsyncGenerator<FollowedEvent, void> {
    if (!this.#hasPolicy || !this.isUnproven) return;
    const note = await files.witnessedCheckpoint?.();
    if (note !== undefined) yield* await this.#orBack(() => this.#seen(note, "delivered"));
  }

  checkpoint(note: string): Promise<readonly FollowedEvent[]> {
    return this.#seen(note, "delivered");
  }

  /** A record, and what it proves once whoever follows has it. */
  async *#takeOne({ index, type, data }: Omit<Extract<StreamEvent, { kind: "record" }>, "type"> & { readonly type?: string }): AsyncGenerator<FollowedEvent> {
    const taken = await this.#orBack(() =>
      this.#inTurn(async () => {
        const event = readEventRecord(data, index, type);
        return this.#log.take(index, leafHash(data)) ? asFollowed(event) : undefined;
      }),
    );
    if (taken === undefined) return;
    yield frozen(taken);
    const range = await this.#orBack(() => this.#inTurn(async () => this.#log.settle()));
    this.#log.forget();
    if (range !== undefined) yield range;
  }

  #seen(note: string, arrival: "served" | "delivered" = "served"): Promise<readonly FollowedEvent[]> {
    return this.#inTurn(async () => {
      const range = await this.#log.see(note, arrival);
      return range === undefined ? [] : [range];
    });
  }

  #whole(reader: EventStreamReader, bytes: Uint8Array): Generator<StreamEvent> {
    const log = this.#log;
    return (function* () {
      try {
        yield* reader.push(bytes);
      } catch (lie) {
        log.backToProven();
        throw lie;
      }
    })();
  }

  /** One after the other: deliveries come when they come. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const queued = this.#queue.then(() => this.#log.open()).then(work);
    this.#queue = queued.catch(() => {});
    return queued;
  }

  /** Goes back for a lie. Where none was told, what came before stands, and is not handed out again. */
  async #orBack<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (!isNoLie(cause)) this.#log.backToProven();
      throw cause;
    }
  }
}

/** Whether what came does not fit to what came before it. A delivery that is refused for itself says nothing of others. */
function contradicts(cause: unknown): boolean {
  return cause instanceof LogError || (cause instanceof EventError && (cause.code === "follow-changed" || cause.code === "follow-wrong-root"));
}

function asFollowed(event: EventRecord): FollowedRecord {
  return { kind: "record", proven: false, ...event };
}
