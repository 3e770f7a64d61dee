/** Why an event is refused, by where it is found out. Codes stay; messages may change. */

/** Every reason. */
export type EventCode = WebhookCode | DeliveryCode | RecordCode | StreamCode | TileCode | FollowCode;

/** Why nobody is known to have sent a delivery now. */
export type WebhookCode =
  | "webhook-header-missing"
  | "webhook-header-repeated"
  | "webhook-id-malformed"
  | "webhook-timestamp-malformed"
  | "webhook-too-old"
  | "webhook-too-new"
  | "webhook-signature-malformed"
  | "webhook-signature-wrong"
  | "webhook-too-large";

/** Why signed bytes are not a delivery. */
export type DeliveryCode =
  | "delivery-not-json"
  | "delivery-not-canonical"
  | "delivery-unknown-type"
  | "delivery-malformed"
  | "delivery-range"
  | "delivery-other-id"
  | "delivery-outside"
  | "delivery-order"
  | "delivery-gap"
  | "delivery-too-many"
  | "delivery-checkpoint";

/** Why what came as a record is none, or not the one that it was called. */
export type RecordCode = "record-malformed" | "record-not-a-no" | "record-not-canonical" | "record-other-place" | "record-other-type" | "record-too-large";

/** Why bytes are not the stream of a log. */
export type StreamCode =
  | "stream-byte-order-mark"
  | "stream-not-utf8"
  | "stream-line-too-long"
  | "stream-event-too-large"
  | "stream-unknown-field"
  | "stream-repeated-field"
  | "stream-no-data"
  | "stream-unknown-event"
  | "stream-id-missing"
  | "stream-id-malformed"
  | "stream-checkpoint-with-id";

/** Why a tile does not hold the records that it should. */
export type TileCode = "tile-missing" | "tile-malformed";

/** Why what came is not the log that is followed. */
export type FollowCode =
  | "follow-state"
  | "follow-gap"
  | "follow-changed"
  | "follow-wrong-root"
  | "follow-filtered"
  | "follow-begun"
  | "follow-ahead-of-log"
  | "follow-pruned"
  | "follow-refused";
