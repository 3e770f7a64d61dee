/** "Did you mean": the closest word of a list. */

import { utf8Length } from "./unicode.js";

const MOST_BYTES = 64;

/** The closest word, when one is close enough to be meant. */
export function closest(text: string, words: readonly string[]): string | undefined {
  if (utf8Length(text) > MOST_BYTES) return undefined;
  const letters = [...text.toLowerCase()];
  let best: { readonly word: string; readonly far: number } | undefined;
  for (const word of words) {
    const far = distance(letters, [...word.toLowerCase()]);
    if (best === undefined || far < best.far) best = { word, far };
  }
  return best !== undefined && best.far <= Math.max(Math.floor([...best.word].length / 3), 1) ? best.word : undefined;
}

/** How many letters to add, drop, change or swap (Damerau and Levenshtein). */
function distance(left: readonly string[], right: readonly string[]): number {
  const rows: number[][] = [];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Math.max(i, j);
  left.forEach((letter, i) => {
    const row: number[] = (rows[i + 1] = []);
    right.forEach((other, j) => {
      const [k, l] = [left.slice(0, i).lastIndexOf(other), right.slice(0, j).lastIndexOf(letter)];
      const swapped = k < 0 || l < 0 ? Infinity : at(k, l) + i - k + j - l - 1;
      row[j + 1] = Math.min(at(i, j) + Number(letter !== other), at(i, j + 1) + 1, at(i + 1, j) + 1, swapped);
    });
  });
  return at(left.length, right.length);
}
