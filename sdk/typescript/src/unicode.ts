/**
 * Text as the registry counts it: in code points and UTF-8 bytes, ordered by bytes.
 *
 * JavaScript counts in UTF-16 units and its own idea of white space differs in two characters, so nothing here leaves it
 * to the engine.
 */

/** The length of a text in UTF-8. Half of a surrogate pair counts as its replacement would. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) {
      bytes += 2;
      at += 1;
    } else bytes += 2;
  }
  return bytes;
}

/** The number of code points, counted no further than one beyond `most`. */
export function countCodePoints(text: string, most: number): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > most) break;
  }
  return count;
}

/** Where the first half of a surrogate pair stands that lacks the other half, or -1. */
export function loneSurrogate(text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) at += 1;
    else if (isHigh(unit) || isLow(unit)) return at;
  }
  return -1;
}

/** Orders two texts by their UTF-8 bytes, which is the order of their code points. */
export function compareBytes(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at += 1) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Whether a character is white space by the Unicode property. */
export function isWhiteSpace(unit: number): boolean {
  return (
    (unit >= 0x09 && unit <= 0x0d) ||
    unit === 0x20 ||
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

/** The text without white space at its ends. */
export function trim(text: string): string {
  let start = 0;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start += 1;
  return trimEnd(text.slice(start));
}

/** The text without white space at its end. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Whether a code point is a control character. */
export function isControl(point: number): boolean {
  return point < 0x20 || (point >= 0x7f && point <= 0x9f);
}

/** The text with its ASCII letters in lowercase, and nothing else changed. */
export function asciiLowercase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Surrogates stand for code points above all others. */
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Orders two texts by their UTF-16 units, as RFC 8785 orders members. */
export function compareUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
