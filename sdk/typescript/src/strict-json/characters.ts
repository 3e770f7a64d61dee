/** Characters that no string of any document may hold. */

import { JOINED_CHARACTERS, REFUSED_CHARACTERS, VARIED_CHARACTERS } from "../generated/refused-characters.js";

/** What makes a code point refused, or nothing. The last two code points of every plane are noncharacters. */
export function refused(point: number): string | undefined {
  if (point >= 0x20 && point < 0x7f) return undefined;
  if ((point & 0xfffe) === 0xfffe) return "noncharacter";
  return rangeOf(REFUSED_CHARACTERS, point)?.name;
}

/** As {@link refused}, but for a variation selector behind a character that has variants, and a joiner behind one that joins. */
export function refusedAfter(before: number | undefined, point: number): string | undefined {
  return before !== undefined && selects(before, point) ? undefined : refused(point);
}

/** Pictures are drawn as text or in colour, ideographs have other selectors. */
function selects(before: number, selector: number): boolean {
  const varied = (): string | undefined => rangeOf(VARIED_CHARACTERS, before)?.name;
  if (selector === 0x200c) return isJoined(before);
  // A picture of several, such as a family; the figures among the pictures are none.
  if (selector === 0x200d) return isJoined(before) || before === 0xfe0f || (varied() === "picture" && before > 0x2000);
  if (selector === 0xfe0e || selector === 0xfe0f) return varied() === "picture";
  const isOther = (selector >= 0xfe00 && selector <= 0xfe02) || (selector >= 0xe0100 && selector <= 0xe01ef);
  return isOther && varied() === "ideograph";
}

function isJoined(before: number): boolean {
  return rangeOf(JOINED_CHARACTERS, before) !== undefined;
}

interface CharacterRange {
  readonly first: number;
  readonly last: number;
  readonly name: string;
}

function rangeOf(ranges: readonly CharacterRange[], point: number): CharacterRange | undefined {
  // The ranges are in order, and a text of many letters asks for each of them.
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle]!;
    if (point < range.first) high = middle - 1;
    else if (point > range.last) low = middle + 1;
    else return range;
  }
  return undefined;
}
