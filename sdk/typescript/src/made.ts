/**
 * What this package made, and nobody else: results that words are chosen from.
 *
 * The brand keeps hand-made objects out at compile time, the set of made objects at run time. What is made is frozen, so
 * that it still says what was found out.
 */

import { freezing, frozen } from "./frozen.js";
import type { Steps } from "./steps.js";

declare const brand: unique symbol;

/** A result of this package. */
export interface Made {
  readonly [brand]: true;
}

const MADE = new WeakSet<object>();

/** Marks a result, and freezes it with everything in it. */
export function made<T extends object>(value: T): T & Made {
  MADE.add(value);
  return frozen(value) as T & Made;
}

/** `made`, in steps. */
export function* making<T extends object>(value: T): Steps<T & Made> {
  MADE.add(value);
  return (yield* freezing(value)) as T & Made;
}

/** Whether this package made it. */
export function isMade(value: unknown): boolean {
  return typeof value === "object" && value !== null && MADE.has(value);
}
