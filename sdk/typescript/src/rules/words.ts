/** Words in texts for people, whatever their case. */

const ALPHANUMERIC = "[\\p{Alphabetic}\\p{N}]";
const WORD = new RegExp(`${ALPHANUMERIC}+`, "gu");

/** The words of a text, in lowercase. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** Whether a text has one of these phrases, not as part of longer words. */
export function hasPhrase(text: string, phrases: readonly string[]): boolean {
  return new RegExp(`(?<!${ALPHANUMERIC})(?:${phrases.join("|")})(?!${ALPHANUMERIC})`, "u").test(text.toLowerCase());
}
