/** Why an event is refused, by where it is found out. Codes stay; messages may change. */

import type { DeliveryCode } from "./delivery.js";
import type { RecordCode } from "./event-record.js";
import type { FollowCode } from "./follower.js";
import type { StreamCode } from "./event-stream.js";
import type { TileCode } from "./entry-tiles.js";
import type { WebhookCode } from "./webhook.js";

/** Every reason. */
export type EventCode = WebhookCode | DeliveryCode | RecordCode | StreamCode | TileCode | FollowCode;
