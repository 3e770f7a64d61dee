// Reads a stream of server-sent events as this registry writes it, and nothing else that the format would allow. The SDK gets
// a follower of its own; until then this is the one of the console.

/** One event. `data` is joined from its lines. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** A record has at most 64 KiB; an event is not much longer. */
const MOST_EVENT_CHARACTERS = 262_144;

/** The stream is not what this registry writes. */
export class StreamFault extends Error {
  override readonly name = "StreamFault";
}

/** The events of a body, up to its end. Comments keep a stream alive, and are left out. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const event = eventOf(text.slice(0, end));
        text = text.slice(end + 2);
        if (event !== undefined) yield event;
      }
      if (text.length > MOST_EVENT_CHARACTERS) throw new StreamFault("the stream sent an event that is too long");
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): StreamEvent | undefined {
  const fields = new Map<string, string>();
  const data: string[] = [];
  for (const line of block.split("\n")) {
    // A comment ends with one line feed and stands before an event as well as alone.
    if (line === "" || line.startsWith(":")) continue;
    const [, name = "", value = ""] = /^(id|event|data):(?: ([^\r\0]*))?$/.exec(line) ?? [];
    if (name === "" || (name !== "data" && fields.has(name))) throw new StreamFault("the stream sent a line that this registry does not write");
    if (name === "data") data.push(value);
    else fields.set(name, value);
  }
  if (fields.size === 0 && data.length === 0) return undefined;
  const event = fields.get("event");
  if (event === undefined || data.length === 0) throw new StreamFault("the stream sent an event without its type or its data");
  return { id: fields.get("id"), event, data: data.join("\n") };
}
