/**
 * The stream of a registry, again whenever it ends: after a quarter of an hour, when the registry restarts, when the way is cut.
 *
 * Every stream begins behind the last record that came. A lie ends it all: only a way that fails, and a registry that asks to
 * come back, are tried again, for as long as the caller wants.
 */

import { Connection, type ConnectionOptions } from "../client/connection.js";
import { EventError, RegistryClientError } from "../client/errors.js";
import { pause } from "../client/exchange.js";
import { JOURNAL_PATH } from "../client/log-files.js";
import { frozen } from "../frozen.js";
import type { Patience } from "./byte-source.js";
import type { LogFiles } from "./entry-tiles.js";
import type { FollowedEvent, Follower } from "./follower.js";
import { filesOf } from "./log-files.js";

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
const COME_BACK: readonly number[] = [429, 500, 502, 503, 504];

/** Follows a registry until the caller ends it, or something does not hold. */
export async function* follow(follower: Follower, { signal, from = "start", idleMs = DEFAULT_IDLE_MS, ...options }: ConnectOptions): AsyncGenerator<FollowedEvent, void> {
  const connection = new Connection(options);
  const files = filesOf(connection, signal);
  for (let failures = 0; ; ) {
    try {
      for await (const event of once(follower, connection, files, from, { idleMs, signal })) {
        failures = 0;
        yield event;
      }
    } catch (cause) {
      if (!isOfTheWay(cause)) throw cause;
      failures += 1;
    }
    // Also after an end that is normal: a stream that ends at once is no reason to ask without rest.
    const waitMs = Math.round(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2));
    const reason = failures === 0 ? "asked-to-wait" : "unreachable";
    options.onRetry?.(frozen({ method: "GET", address: connection.addressOf(STREAM_PATH), attempt: failures + 1, reason, waitMs }));
    await pause(waitMs, signal);
  }
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

/** What is tried again: the way, and whoever asks for it. Everything else is an answer. */
function isOfTheWay(cause: unknown): boolean {
  if (cause instanceof EventError) return cause.code === "follow-refused" && COME_BACK.includes(cause.problem?.status ?? 0);
  return cause instanceof RegistryClientError && (cause.code === "unreachable" || cause.code === "timeout");
}
