/** Characters that no string of any document may hold. */

import { REFUSED_CHARACTERS } from "../generated/refused-characters.js";

/** What makes a code point refused, or nothing. The last two code points of every plane are noncharacters. */
export function refused(point: number): string | undefined {
  if (point >= 0x20 && point < 0x7f) return undefined;
  if ((point & 0xfffe) === 0xfffe) return "noncharacter";
  return REFUSED_CHARACTERS.find((range) => point >= range.first && point <= range.last)?.name;
}
