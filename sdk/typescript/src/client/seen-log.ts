/**
 * The log as one client saw it: every signed state that comes must be of one log, which only grows.
 *
 * Answers to requests that were under way together may come in any order. So a state may be smaller than the newest, but
 * never smaller than what was known when its request was sent; and it must be a part of the newest.
 */

import { type Checkpoint, describeCheckpoint } from "../receipt/checkpoint.js";
import { growthOf, type Recorded } from "../receipt/growth.js";
import type { ReadTile } from "../receipt/tiles.js";
import { type LogCode, LogError } from "./errors.js";

/** A signed state, and what it takes to compare it. */
export interface Sight {
  readonly state: Checkpoint;
  /** How many records were known when the request was sent. */
  readonly floor: number;
  readonly readTile: ReadTile;
  /** The record of a receipt that came with it. */
  readonly recorded?: Recorded;
  readonly requestId: string | undefined;
}

/** What one client knows of a log. */
export class SeenLog {
  #newest: Checkpoint | undefined;
  #queue: Promise<void> = Promise.resolve();

  /** How many records are known to be there. */
  get size(): number {
    return this.#newest?.size ?? 0;
  }

  /** Takes note of a state, one after the other. Throws with both states when they are not of one log. */
  see(sight: Sight): Promise<void> {
    const queued = this.#queue.then(() => this.#compare(sight));
    this.#queue = queued.catch(() => {});
    return queued;
  }

  async #compare(sight: Sight): Promise<void> {
    const known = this.#newest;
    if (known !== undefined) await expectGrowth(known, sight);
    if (known === undefined || known.size < sight.state.size) this.#newest = sight.state;
  }
}

/** Throws unless a state comes after what is known, or is a part of it that came late. */
export async function expectGrowth(known: Checkpoint, { state, floor, readTile, recorded, requestId }: Sight): Promise<void> {
  const fail = (code: LogCode, message: string) => new LogError(code, message, [describeCheckpoint(known), describeCheckpoint(state)], requestId);
  if (state.size < floor) throw fail("log-shrank", `the log has ${state.size} records, and had ${floor}`);
  const growth = state.size < known.size ? await growthOf(state, known, readTile) : await growthOf(known, state, readTile, recorded);
  if (growth === "forked") throw fail("log-forked", "two signed states of the log do not hold the same records");
  if (growth === "unproven") throw fail("log-unproven", `the registry does not prove that its log of ${known.size} records is the one of ${state.size}`);
}
