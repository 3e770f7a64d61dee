/** The facts that this package knows: what reading files by its rules can tell. */

import { FACTS } from "../generated/facts.js";
import type { Fact } from "../parts.js";

/** What a fact says: one of the table, or that there is more of a kind than a report holds. */
export type Known = "one" | "cut";

/** The word of the row that stands for all rows of a kind that a report has no room for. */
export const CUT = "cut";

/** What a fact says, when reading files by these rules can have told it. */
export function known({ kind, word, file, subject, place }: Fact): Known | undefined {
  if (word === CUT && file === undefined && subject === undefined) {
    return FACTS.some((row) => row.kind === kind) ? "cut" : undefined;
  }
  switch (FACTS.find((row) => row.kind === kind && row.word === word)?.about) {
    case undefined:
      return undefined;
    case "file":
      return file !== undefined && subject === undefined ? "one" : undefined;
    case "picture":
      return file !== undefined && pixelsOf(subject) !== undefined && place === undefined ? "one" : undefined;
    case "pattern":
      return file === undefined && rowNumberOf(subject) !== undefined ? "one" : undefined;
  }
}

/** Numbers have one spelling. */
const NUMBER = /^(?:0|[1-9][0-9]*)$/;
const PIXELS = /^([1-9][0-9]*)x([1-9][0-9]*)$/;
const MOST_ROW = 18446744073709551615n;
const MOST_PIXELS = 4294967295;

/** The number of a row that a subject is. */
export function rowNumberOf(subject: string | undefined): bigint | undefined {
  if (subject === undefined || !NUMBER.test(subject)) return undefined;
  const number = BigInt(subject);
  return number <= MOST_ROW ? number : undefined;
}

/** The size of a picture that a subject is. */
export function pixelsOf(subject: string | undefined): { readonly width: number; readonly height: number } | undefined {
  const found = PIXELS.exec(subject ?? "");
  if (found === null) return undefined;
  const [width, height] = [Number(found[1]), Number(found[2])];
  return width <= MOST_PIXELS && height <= MOST_PIXELS ? { width, height } : undefined;
}
