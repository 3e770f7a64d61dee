/**
 * The RFC 8785 form of JSON values, and the layout of files.
 *
 * Only what the strict reader lets pass has a form: no fractions, no integers beyond ±(2^53−1) (two of them would share
 * one spelling), no half surrogate pairs, no nesting beyond the bound, and no objects but plain ones.
 */

import { LIMITS } from "./generated/limits.js";
import { join } from "./pointer.js";
import { printable } from "./printable.js";
import { Counter, finish, type Steps } from "./steps.js";
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
  return finish(canonicalizing(value));
}

/** `canonicalize`, in steps. */
export function canonicalizing(value: unknown): Steps<string> {
  return new Writer(COMPACT).text(value);
}

/** The layout of files: canonical member order, two spaces, a final line feed. */
export function toFile(value: unknown): string {
  return finish(writingFile(value));
}

/** `toFile`, in steps. */
export function* writingFile(value: unknown): Steps<string> {
  return `${yield* new Writer(PRETTY).text(value)}\n`;
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

/** Names that are written as they are. */
const PLAIN = /^[\w$. -]*$/;

/** How long a piece of text grows before it is put aside: a string that is added to for ever is costly to read in the end. */
const PIECE = 4096;

class Writer {
  readonly #layout: Layout;
  readonly #counter = new Counter();
  readonly #pieces: string[] = [];
  #piece = "";
  /** The way to the value at hand, for errors. */
  readonly #path: (string | number)[] = [];

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  *text(value: unknown): Steps<string> {
    if (!this.#isLeaf(value)) yield* this.#container(value as object);
    this.#pieces.push(this.#piece);
    return this.#pieces.join("");
  }

  /** Writes a value that holds no others; says whether it was one. */
  #isLeaf(value: unknown): boolean {
    if (value === null || typeof value === "boolean") this.#write(String(value));
    else if (typeof value === "string") this.#write(this.#quoted(value));
    else if (typeof value === "number") {
      if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw this.#error("a number that is not an integer within ±(2^53−1)");
      this.#write(String(value));
    } else if (typeof value !== "object") throw this.#error(`a ${typeof value} is no JSON value`);
    else if (this.#path.length >= LIMITS["json-depth"]) throw this.#error("nested too deeply");
    else return false;
    return true;
  }

  *#container(value: object): Steps<void> {
    const isList = Array.isArray(value);
    const names = isList ? undefined : this.#namesOf(value);
    const count = isList ? value.length : (names as string[]).length;
    if (count === 0) return this.#write(isList ? "[]" : "{}");
    const depth = this.#path.length;
    const space = this.#layout.space(depth + 1);
    this.#write((isList ? "[" : "{") + space);
    for (let at = 0; at < count; at += 1) {
      if (at > 0) this.#write(`,${space}`);
      const name = names?.[at];
      this.#path.push(name ?? at);
      if (name !== undefined) this.#write(this.#quoted(name) + this.#layout.colon);
      const inner = (value as { [name: string | number]: unknown })[name ?? at];
      if (!this.#isLeaf(inner)) yield* this.#container(inner as object);
      this.#path.pop();
      if (this.#counter.isDue()) yield;
    }
    this.#write(this.#layout.space(depth) + (isList ? "]" : "}"));
  }

  #namesOf(object: object): string[] {
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw this.#error("only plain objects have a form");
    return Object.keys(object).sort(compareUnits);
  }

  #write(text: string): void {
    this.#piece += text;
    if (this.#piece.length < PIECE) return;
    this.#pieces.push(this.#piece);
    this.#piece = "";
  }

  #quoted(text: string): string {
    if (PLAIN.test(text)) return `"${text}"`;
    if (loneSurrogate(text) >= 0) throw this.#error("half of a surrogate pair");
    return JSON.stringify(text);
  }

  #error(message: string): CanonicalFormError {
    return new CanonicalFormError(this.#path.reduce<string>(join, ""), message);
  }
}
