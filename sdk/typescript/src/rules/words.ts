/** Words in texts for people. */

const ALPHANUMERIC = "[\\p{Alphabetic}\\p{N}]";

/** An apostrophe inside a word is part of it. */
const WORD = new RegExp(`${ALPHANUMERIC}+(?:['\u2019]${ALPHANUMERIC}+)*`, "gu");

/** Marks that end a sentence. */
const ENDS = /[.!?|\u2013\u2014\u2022]/u;

/** Whatever ends a part of a sentence: line breaks and all marks but hyphens and quotes. */
const PARTS = /[\n\r]|[^\p{White_Space}\-'"`\u2018\u2019\u201c\u201d]/u;

/** What stands before a word. */
export type Break = "none" | "clause" | "sentence";

/** A word of a text. */
export interface Word {
  readonly written: string;
  readonly lower: string;
  readonly before: Break;
}

/** The words of a text. */
export function wordsOf(text: string): readonly Word[] {
  let end = 0;
  return [...text.matchAll(WORD)].map((found, at) => {
    const before = at === 0 ? "sentence" : breakOf(text.slice(end, found.index));
    end = found.index + found[0].length;
    const written = found[0].replaceAll("\u2019", "'");
    return { written, lower: written.toLowerCase(), before };
  });
}

function breakOf(between: string): Break {
  if (ENDS.test(between)) return "sentence";
  return PARTS.test(between) ? "clause" : "none";
}

/** Whether a text has one of these phrases as they are written, not as part of longer words. */
export function hasPhrase(text: string, phrases: readonly string[]): boolean {
  // Behind a phrase that ends with a mark anything may stand.
  const ends = phrases.map((phrase) => (phrase.endsWith(":") ? phrase : `${phrase}(?!${ALPHANUMERIC})`));
  return new RegExp(`(?<!${ALPHANUMERIC})(?:${ends.join("|")})`, "u").test(text);
}
