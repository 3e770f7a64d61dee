/**
 * Foreign words on their way into an error. Errors end in terminals and logs, where a name of a hostile document could move
 * the cursor, start a line of its own or turn the text around.
 */

/** What moves, hides or turns text: control, format and unassigned characters, halves of a pair, separators, and blanks that no eye sees. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The text with each such character spelled out, as `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
