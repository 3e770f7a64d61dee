/** Values that stay as they are: what is said once cannot be changed by whoever reads it. */

/** Freezes a value of our own making, a tree without circles, at every depth. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
