/** A follower of one log, for callers: streams, deliveries and files prove each other. */

import type { ByteSource } from "./byte-source.js";
import { type ConnectOptions, follow } from "./connect.js";
import type { WebhookDelivery } from "./delivery.js";
import type { LogFiles } from "./entry-tiles.js";
import type { FollowerState } from "./follower-state.js";
import { type FollowedEvent, Follower, type FollowerOptions } from "./follower.js";

/** A follower of one log. */
export interface JournalFollower {
  /** How far the log is proven: keep it, and begin with it the next time. */
  readonly state: FollowerState | undefined;
  /** The place of the record that must come next. */
  readonly nextIndex: number;
  /** Begins at the end of the log, by its tiles: what is there already is not read. */
  begin(files: LogFiles): Promise<FollowerState>;
  /** Reads one stream to its end, which is normal and comes. */
  stream(source: ByteSource): AsyncGenerator<FollowedEvent, void>;
  /** Reads the stream of a registry, and comes back whenever it ends. */
  connect(options: ConnectOptions): AsyncGenerator<FollowedEvent, void>;
  /** Takes what `verifyWebhook` gave. */
  delivery(delivery: WebhookDelivery): Promise<readonly FollowedEvent[]>;
  /** Reads the log up to its newest state from its files. */
  tiles(files: LogFiles): AsyncGenerator<FollowedEvent, void>;
  /** Takes a signed state from elsewhere, such as one that witnesses have seen. */
  checkpoint(note: string): Promise<readonly FollowedEvent[]>;
}

/** A follower. It goes on from `state`, or begins with the first record. */
export function createJournalFollower(options: FollowerOptions): JournalFollower {
  const follower = new Follower(options);
  return Object.freeze({
    get state() {
      return follower.state;
    },
    get nextIndex() {
      return follower.nextIndex;
    },
    begin: (files: LogFiles) => follower.begin(files),
    stream: (source: ByteSource) => follower.stream(source),
    connect: (to: ConnectOptions) => follow(follower, to),
    delivery: (delivery: WebhookDelivery) => follower.delivery(delivery),
    tiles: (files: LogFiles) => follower.tiles(files),
    checkpoint: (note: string) => follower.checkpoint(note),
  });
}
