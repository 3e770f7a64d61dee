/** Paths inside a package: relative, `/` only, the same on every system. Refused, never cleaned up. */

import { LIMITS } from "../generated/limits.js";
import { refusedAfter } from "../strict-json/characters.js";
import { isControl, trimEnd, utf8Length } from "../unicode.js";

const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/;

/** Whether a text is a path of a package. */
export function isPackagePath(text: string): boolean {
  const parts = text.split("/");
  return (
    text !== "" &&
    utf8Length(text) <= LIMITS.path &&
    !text.startsWith("~") &&
    text.normalize("NFC") === text &&
    parts.length <= LIMITS["path-depth"] &&
    parts.every(isPart)
  );
}

function isPart(part: string): boolean {
  if (part === "" || part === "." || part === ".." || utf8Length(part) > LIMITS["path-part"]) return false;
  if (/%2e|%2f|%5c/i.test(part)) return false;
  if (/[\\:*?"<>|]/.test(part) || /[. ]$/.test(part) || part.startsWith(" ")) return false;
  let before: number | undefined;
  for (const character of part) {
    const point = character.codePointAt(0) ?? 0;
    if (isControl(point) || refusedAfter(before, point) !== undefined) return false;
    before = point;
  }
  return !DEVICE.test(trimEnd(part.split(".")[0] ?? "").toLowerCase());
}
