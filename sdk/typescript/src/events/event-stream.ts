/**
 * Server-sent events, read strictly: what the stream of a log has, and nothing else.
 *
 * A line ends with CR, LF or both, and what was cut off before its empty line is no event. Where the standard lets a reader
 * pass over what it does not know, this one refuses: a byte order mark, an unknown field, a field twice in one event, an event
 * without data. `retry` is read by nobody: how long to wait is for the reader to say.
 */

import { joined } from "../bytes.js";
import { EventError } from "../client/errors.js";
import type { StreamCode } from "./event-code.js";
import { MOST_RECORD_BYTES } from "./event-record.js";
import { isEventType } from "./event-type.js";

/** An event of a log: a record's bytes with the place and the type that they came with, or the text of a signed state. */
export type StreamEvent =
  | { readonly kind: "record"; readonly index: number; readonly type: string; readonly data: Uint8Array }
  | { readonly kind: "checkpoint"; readonly note: string };

const [LF, CR] = [10, 13];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** A record, and the name of its field. */
const MOST_LINE_BYTES = MOST_RECORD_BYTES + 64;
/** A checkpoint with the lines of a hundred witnesses. */
const MOST_EVENT_BYTES = 2 * MOST_LINE_BYTES;

/** Takes bytes as they come, and gives the events that are whole. */
export class EventStreamReader {
  #line: Uint8Array[] = [];
  #lineBytes = 0;
  #endedWithCr = false;
  #isFirst = true;
  #event = new EventFields();

  /** The events that these bytes complete. */
  *push(bytes: Uint8Array): Generator<StreamEvent> {
    let start = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) {
        this.#endedWithCr = false;
        continue;
      }
      const isRestOfEnd = byte === LF && this.#endedWithCr;
      this.#endedWithCr = byte === CR;
      if (!isRestOfEnd) {
        this.#keep(bytes.subarray(start, at));
        const event = this.#endLine();
        if (event !== undefined) yield event;
      }
      start = at + 1;
    }
    this.#keep(bytes.subarray(start));
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#lineBytes += part.length;
    if (this.#lineBytes > MOST_LINE_BYTES) throw refused("stream-line-too-long", `a line is longer than ${MOST_LINE_BYTES} bytes`);
    // What is handed in may be used again by whoever reads.
    this.#line.push(part.slice());
  }

  #endLine(): StreamEvent | undefined {
    const bytes = joined(this.#line);
    [this.#line, this.#lineBytes] = [[], 0];
    if (this.#isFirst && BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte)) {
      throw refused("stream-byte-order-mark", "the stream starts with a byte order mark");
    }
    this.#isFirst = false;
    if (bytes.length > 0) {
      this.#event.add(textOf(bytes), bytes.length);
      return undefined;
    }
    const event = this.#event.end();
    this.#event = new EventFields();
    return event;
  }
}

/** The fields of one event. */
class EventFields {
  readonly #data: string[] = [];
  #type: string | undefined;
  #id: string | undefined;
  #bytes = 0;

  add(line: string, bytes: number): void {
    if (line.startsWith(":")) return;
    this.#bytes += bytes;
    if (this.#bytes > MOST_EVENT_BYTES) throw refused("stream-event-too-large", `an event is larger than ${MOST_EVENT_BYTES} bytes`);
    const [, name = "", value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? [];
    switch (name) {
      case "data":
        this.#data.push(value);
        return;
      case "event":
        if (this.#type !== undefined) throw refused("stream-repeated-field", "an event has two types");
        this.#type = value;
        return;
      case "id":
        if (this.#id !== undefined) throw refused("stream-repeated-field", "an event has two ids");
        this.#id = value;
        return;
      case "retry":
        return;
      default:
        throw refused("stream-unknown-field", "a line has a field that no event has");
    }
  }

  end(): StreamEvent | undefined {
    if (this.#data.length === 0) {
      if (this.#type === undefined && this.#id === undefined) return undefined;
      throw refused("stream-no-data", "an event has no data");
    }
    if (this.#type === "checkpoint") {
      // With an id, whoever comes back would begin behind a record that never was.
      if (this.#id !== undefined) throw refused("stream-checkpoint-with-id", "a checkpoint has an id");
      return { kind: "checkpoint", note: this.#data.map((line) => `${line}\n`).join("") };
    }
    if (!isEventType(this.#type)) throw refused("stream-unknown-event", "an event is of a type that is not known");
    return { kind: "record", index: this.#index(), type: this.#type, data: new TextEncoder().encode(this.#data.join("\n")) };
  }

  #index(): number {
    if (this.#id === undefined) throw refused("stream-id-missing", "a record has no id");
    const index = Number(this.#id);
    if (!/^(0|[1-9][0-9]{0,15})$/.test(this.#id) || !Number.isSafeInteger(index)) throw refused("stream-id-malformed", "the id of a record is not its place");
    return index;
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused("stream-not-utf8", "the stream is not UTF-8");
  }
}

function refused(code: StreamCode, message: string): EventError {
  return new EventError(code, message);
}
