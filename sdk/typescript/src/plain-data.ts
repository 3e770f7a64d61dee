/**
 * Plain data as JSON text: what a value is before anybody's code runs.
 *
 * Only own enumerable data members of plain objects and lists are read, by their descriptors: no getter runs, nothing is
 * inherited, and a list has neither holes nor members beside its elements. Depth and size are bounded, so that a circle or
 * a value without end is found out.
 */

import { LIMITS } from "./generated/limits.js";

/** The JSON text of a value, or nothing when it is not plain data. */
export function plainText(value: unknown): string | undefined {
  try {
    return JSON.stringify(new Copy().of(value, 0));
  } catch {
    // Whatever a proxy throws, and whatever is too deep, too large or not JSON: none of it is plain.
    return undefined;
  }
}

class NotPlain extends Error {}

class Copy {
  /** More than any document that is read. */
  #left: number = LIMITS.index;

  of(value: unknown, depth: number): unknown {
    this.#spend(1);
    switch (typeof value) {
      case "boolean":
        return value;
      case "string":
        this.#spend(value.length);
        return value;
      case "number":
        if (!Number.isFinite(value) || Object.is(value, -0)) throw new NotPlain();
        return value;
      case "object":
        return value === null ? null : this.#ofObject(value, depth);
      default:
        throw new NotPlain();
    }
  }

  #ofObject(value: object, depth: number): unknown {
    if (depth >= LIMITS["json-depth"]) throw new NotPlain();
    const prototype: unknown = Object.getPrototypeOf(value);
    if (Array.isArray(value)) return this.#ofList(value, prototype, depth);
    if (prototype !== null && prototype !== Object.prototype) throw new NotPlain();
    const copy: { [name: string]: unknown } = Object.create(null);
    for (const name of Reflect.ownKeys(value)) {
      if (typeof name !== "string") throw new NotPlain();
      this.#spend(name.length);
      copy[name] = this.of(dataOf(value, name), depth + 1);
    }
    return copy;
  }

  #ofList(list: readonly unknown[], prototype: unknown, depth: number): unknown[] {
    const length = Object.getOwnPropertyDescriptor(list, "length")?.value as number;
    if (prototype !== Array.prototype || Reflect.ownKeys(list).length !== length + 1) throw new NotPlain();
    this.#spend(length);
    return Array.from({ length }, (_, at) => this.of(dataOf(list, String(at)), depth + 1));
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
