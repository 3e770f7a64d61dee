/** Values that stay as they are: what is said once cannot be changed by whoever reads it. */

import { Counter, type Steps } from "./steps.js";

/** Freezes a value of our own making, a tree without circles, at every depth. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** `frozen`, in steps. */
export function* freezing<T>(value: T, counter = new Counter()): Steps<T> {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) {
    if (typeof member === "object" && member !== null) yield* freezing(member, counter);
    if (counter.isDue()) yield;
  }
  return Object.freeze(value);
}
