/** The order of rows in reports: member by member, what is absent before everything that is there. */

import { compareBytes } from "../unicode.js";

/** Orders two lists of as many texts by their bytes. */
export function compareLists(left: readonly (string | undefined)[], right: readonly (string | undefined)[]): number {
  for (let at = 0; at < left.length; at += 1) {
    const order = compareTexts(left[at], right[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareTexts(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return compareBytes(left, right);
}
