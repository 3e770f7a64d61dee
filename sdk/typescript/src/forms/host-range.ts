/** Ranges of host versions: comparators beside each other, such as `>=3.2.0 <4.0.0`. */

import { trim, utf8Length } from "../unicode.js";

const MOST_BYTES = 100;
const MOST_COMPARATORS = 32;
const MOST_NUMBER = 18446744073709551615n;

const NUMBER = "(?:0|[1-9][0-9]*)";
const ANY = "[*xX]";
const PRE = "(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?";
const BUILD = "(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?";
const COMPARATOR = new RegExp(
  `^(?:=|>=?|<=?|~|\\^)?(${NUMBER})(?:\\.${ANY}(?:\\.${ANY})?|\\.(${NUMBER})(?:\\.${ANY}|\\.(${NUMBER})${PRE}${BUILD})?)?$`,
);

/** Whether a text is a range. */
export function isHostRange(text: string): boolean {
  if (utf8Length(text) > MOST_BYTES || trim(text) === "") return false;
  const comparators = comparatorsOf(text);
  if (comparators.length === 1 && /^[*xX]$/.test(comparators[0] ?? "")) return true;
  return comparators.length > 0 && comparators.length <= MOST_COMPARATORS && comparators.every(isComparator);
}

/** Whether a range ends somewhere: a comparator that only sets a lower bound leaves it open, and so does no comparator. */
export function hasUpperBound(range: string): boolean {
  return comparatorsOf(range).some((comparator) => !/^[>*xX]/.test(comparator));
}

function comparatorsOf(text: string): string[] {
  return text.split(/[ ,]/).filter((part) => part !== "");
}

function isComparator(text: string): boolean {
  const numbers = COMPARATOR.exec(text)?.slice(1);
  return numbers !== undefined && numbers.every((number) => number === undefined || BigInt(number) <= MOST_NUMBER);
}
