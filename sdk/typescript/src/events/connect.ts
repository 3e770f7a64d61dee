/**
 * The stream of a registry, again whenever it ends: after a quarter of an hour, when the registry restarts, when the way is cut.
 *
 * Every stream begins behind the last record that came. A lie ends it all: only a way that fails, and a registry that asks to
 * come back, are tried again, for as long as the caller wants.
 */

import { Connection, type ConnectionOptions } from "../client/connection.js";
import type { RegistryClientError } from "../client/errors.js";
import { LONGEST_ASKED_MS, pause } from "../client/exchange.js";
import { JOURNAL_PATH } from "../client/log-files.js";
import { frozen } from "../frozen.js";
import type { Patience } from "./byte-source.js";
import type { LogFiles } from "./entry-tiles.js";
import type { FollowedEvent, Follower } from "./follower.js";
import { filesOf } from "./log-files.js";
import { isRetryable, reasonOf, statusOf } from "./retryable.js";

/** How to reach the registry, and from where on to follow its log. */
export interface ConnectOptions extends ConnectionOptions {
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Where a follower without a state begins: at the first record, unless this says at the end. */
  readonly from?: "start" | "end";
  /** The most milliseconds without a byte before the way is tried again; 30,000 unless given. */
  readonly idleMs?: number;
}

/** Every record is asked for, probes too: with any left out, no root can be computed. */
const STREAM_PATH = `${JOURNAL_PATH}stream?probes=true`;
const DEFAULT_IDLE_MS = 30_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** Witnesses sign within seconds; nobody asks for them more often. */
const WITNESS_EVERY_MS = 1000;

/** Follows a registry until the caller ends it, or something does not hold. */
export async function* follow(follower: Follower, { signal, from = "start", idleMs = DEFAULT_IDLE_MS, ...options }: ConnectOptions): AsyncGenerator<FollowedEvent, void> {
  const connection = new Connection(options);
  const files = filesOf(connection, signal);
  follower.notesFrom(files);
  const patience = { idleMs, answerMs: connection.timeoutMs, signal };
  for (let inVain = 0; ; ) {
    const began = Date.now();
    let failed: RegistryClientError | undefined;
    try {
      inVain += 1;
      for await (const event of once(follower, connection, files, from, patience)) {
        inVain = 0;
        yield event;
      }
      // The stream of a quiet log brings nothing and is no reason to wait. One that ends at once is.
      if (Date.now() - began >= LONGEST_WAIT_MS) inVain = 0;
    } catch (cause) {
      if (!isRetryable(cause)) throw cause;
      failed = cause;
      inVain = Math.max(inVain, 1);
    }
    const waitMs = waitBefore(inVain, failed?.retryAfterMs);
    options.onRetry?.(frozen({ method: "GET", address: connection.addressOf(STREAM_PATH), attempt: inVain + 1, reason: reasonOf(failed), status: statusOf(failed), waitMs }));
    await pause(waitMs, signal);
  }
}

/** Longer each time that nothing came, and never before the moment that was asked for, within a bound. */
function waitBefore(inVain: number, askedMs = 0): number {
  const own = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(inVain, 10)) * (0.5 + Math.random() / 2);
  // Those who were sent away together do not come back in one moment.
  const asked = Math.min(LONGEST_ASKED_MS, askedMs) + (askedMs > 0 ? Math.random() * FIRST_WAIT_MS : 0);
  return Math.round(Math.max(own, asked));
}

async function* once(follower: Follower, connection: Connection, files: LogFiles, from: "start" | "end", patience: Patience): AsyncGenerator<FollowedEvent, void> {
  // A stream without a place to begin behind begins at its end, so that what is there comes from tiles.
  if (follower.nextIndex === 0) {
    if (from === "end" && follower.state === undefined) await follower.begin(files);
    else yield* follower.tiles(files);
  }
  const last = follower.nextIndex - 1;
  const response = await connection.stream(STREAM_PATH, { signal: patience.signal }, last < 0 ? undefined : last);
  let asked = 0;
  yield* follower.stream(response, patience, async function* () {
    if (follower.nextIndex === 0 && follower.isBehind) yield* follower.tiles(files);
    if (Date.now() - asked < WITNESS_EVERY_MS) return;
    asked = Date.now();
    yield* follower.witnessed(files);
  });
}
