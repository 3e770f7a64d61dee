/**
 * Plain data as JSON text: what a value is before anybody's code runs.
 *
 * Only own enumerable data members of plain objects and lists are read, by their descriptors: no getter runs, nothing is
 * inherited, and a list has neither holes nor members beside its elements. Depth and size are bounded, so that a circle or
 * a value without end is found out.
 */

import { LIMITS } from "./generated/limits.js";

/** What a value is read from: text and bytes as they are, plain data as its JSON text; nothing when it is none of them. */
export function readable(value: unknown): string | Uint8Array | undefined {
  try {
    const isText = typeof value === "string" || (ArrayBuffer.isView(value) && value instanceof Uint8Array);
    return isText ? value : new Writer().textOf(value, 0);
  } catch {
    // Whatever a proxy throws, and whatever is too deep, too large or not JSON: none of it is plain.
    return undefined;
  }
}

class NotPlain extends Error {}

class Writer {
  /** More than any document that is read. */
  #left: number = LIMITS.index;

  textOf(value: unknown, depth: number): string {
    this.#spend(1);
    switch (typeof value) {
      case "boolean":
        return String(value);
      case "string":
        return this.#ofString(value);
      case "number":
        if (!Number.isFinite(value)) throw new NotPlain();
        // The sign stays, for the reader to refuse.
        return Object.is(value, -0) ? "-0" : String(value);
      case "object":
        return value === null ? "null" : this.#ofObject(value, depth);
      default:
        throw new NotPlain();
    }
  }

  /** Half of a surrogate pair is escaped, for the reader to refuse. */
  #ofString(text: string): string {
    this.#spend(text.length);
    return JSON.stringify(text);
  }

  #ofObject(value: object, depth: number): string {
    if (depth >= LIMITS["json-depth"]) throw new NotPlain();
    const prototype: unknown = Object.getPrototypeOf(value);
    if (Array.isArray(value)) return this.#ofList(value, prototype, depth);
    if (prototype !== null && prototype !== Object.prototype) throw new NotPlain();
    const members = Reflect.ownKeys(value).map((name) => {
      if (typeof name !== "string") throw new NotPlain();
      return `${this.#ofString(name)}:${this.textOf(dataOf(value, name), depth + 1)}`;
    });
    return `{${members.join()}}`;
  }

  #ofList(list: readonly unknown[], prototype: unknown, depth: number): string {
    const length = Object.getOwnPropertyDescriptor(list, "length")?.value as number;
    if (prototype !== Array.prototype || Reflect.ownKeys(list).length !== length + 1) throw new NotPlain();
    this.#spend(length);
    const elements = Array.from({ length }, (_, at) => this.textOf(dataOf(list, String(at)), depth + 1));
    return `[${elements.join()}]`;
  }

  #spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new NotPlain();
  }
}

/** The value of an own enumerable data member. */
function dataOf(holder: object, name: string): unknown {
  const member = Object.getOwnPropertyDescriptor(holder, name);
  if (member === undefined || member.enumerable !== true || !("value" in member)) throw new NotPlain();
  return member.value;
}
