/** JSON pointers (RFC 6901): where in a document something stands. The empty pointer is the root. */

/** The pointer one step further in. */
export function join(pointer: string, part: string | number): string {
  return `${pointer}/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The parts, decoded. */
export function parts(pointer: string): string[] {
  return pointer.split("/").slice(1).map(decode);
}

/** The parent and the last part, decoded; nothing for the root. */
export function splitLast(pointer: string): { parent: string; last: string } | undefined {
  const at = pointer.lastIndexOf("/");
  return at < 0 ? undefined : { parent: pointer.slice(0, at), last: decode(pointer.slice(at + 1)) };
}

function decode(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
