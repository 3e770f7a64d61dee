/**
 * The RFC 8785 form of JSON values, and the layout of files.
 *
 * Only what the strict reader lets pass has a form: no fractions, no integers beyond ±(2^53−1) (two of them would share
 * one spelling), no half surrogate pairs, no nesting beyond the bound, and no objects but plain ones.
 */

import { LIMITS } from "./generated/limits.js";
import { join } from "./pointer.js";
import { printable } from "./printable.js";
import { compareUnits, loneSurrogate } from "./unicode.js";

/** Thrown when a value has no canonical form. */
export class CanonicalFormError extends Error {
  override readonly name = "CanonicalFormError";
  /** Where the value stands that has none. In its names what hides or moves text is spelled out. */
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(printable(`${message} at \`${pointer}\``));
    this.pointer = printable(pointer);
  }
}

/** The RFC 8785 form of a value. */
export function canonicalize(value: unknown): string {
  return write(value, "", 0, COMPACT);
}

/** The layout of files: canonical member order, two spaces, a final line feed. */
export function toFile(value: unknown): string {
  return `${write(value, "", 0, PRETTY)}\n`;
}

/** Whether two values mean the same. */
export function sameMeaning(left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalize(left) === canonicalize(right);
}

interface Layout {
  readonly colon: string;
  /** What stands before an element and before the closing bracket, at a depth. */
  readonly space: (depth: number) => string;
}

const COMPACT: Layout = { colon: ":", space: () => "" };
const PRETTY: Layout = { colon: ": ", space: (depth) => `\n${"  ".repeat(depth)}` };

function write(value: unknown, pointer: string, depth: number, layout: Layout): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return writeString(value, pointer);
  if (typeof value === "number") {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
    throw new CanonicalFormError(pointer, "a number that is not an integer within ±(2^53−1)");
  }
  if (typeof value !== "object") throw new CanonicalFormError(pointer, `a ${typeof value} is no JSON value`);
  if (depth >= LIMITS["json-depth"]) throw new CanonicalFormError(pointer, "nested too deeply");
  return Array.isArray(value) ? writeList(value, pointer, depth, layout) : writeObject(value, pointer, depth, layout);
}

function writeList(list: readonly unknown[], pointer: string, depth: number, layout: Layout): string {
  if (list.length === 0) return "[]";
  const elements = Array.from(list, (element, index) => write(element, join(pointer, index), depth + 1, layout));
  const space = layout.space(depth + 1);
  return `[${space}${elements.join(`,${space}`)}${layout.space(depth)}]`;
}

function writeObject(object: object, pointer: string, depth: number, layout: Layout): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new CanonicalFormError(pointer, "only plain objects have a form");
  }
  const names = Object.keys(object).sort(compareUnits);
  if (names.length === 0) return "{}";
  const members = names.map((name) => {
    const place = join(pointer, name);
    return `${writeString(name, place)}${layout.colon}${write((object as { [name: string]: unknown })[name], place, depth + 1, layout)}`;
  });
  const space = layout.space(depth + 1);
  return `{${space}${members.join(`,${space}`)}${layout.space(depth)}}`;
}

function writeString(text: string, pointer: string): string {
  if (loneSurrogate(text) >= 0) throw new CanonicalFormError(pointer, "half of a surrogate pair");
  return JSON.stringify(text);
}
