/**
 * From key to key: the old key of a log signs the public half of its next one, in a note of two lines.
 *
 * So whoever pinned a key follows the log by itself. A key that no known one signed leads nowhere, and a key that signed two
 * next ones is a lie of whoever holds it.
 */

import { sameBytes } from "../bytes.js";
import { type LogKey, readKey, readKeys, readSigned } from "./checkpoint.js";

/** Why notes cannot be followed. */
export type HandOverFault = "malformed-hand-over" | "forked-keys" | "unsupported";

/** The keys of a log that a caller has, as files hold them. */
export interface PinnedLog {
  /** One a line. */
  readonly publicKey: string;
  /** The notes from key to key, as `/journal/hand-overs` has them: what a newer key signed is then known by them. */
  readonly handOvers?: string;
}

const MOST_NOTES = 1000;
const NEXT_KEY = "/next-key\n";

/** The keys of an option, and those that its notes lead to. */
export async function givenKeys({ publicKey, handOvers }: PinnedLog): Promise<readonly LogKey[]> {
  const keys = readKeys(publicKey);
  if (keys === undefined) throw new TypeError("publicKey is not a public key of a log");
  const led = handOvers === undefined ? keys : await followHandOvers(keys, handOvers);
  if (typeof led === "string") throw new TypeError(`handOvers cannot be followed: ${led}`);
  return led;
}

/** These keys, and before them those that the notes lead to, the newest first. */
export async function followHandOvers(keys: readonly LogKey[], file: string): Promise<readonly LogKey[] | HandOverFault> {
  const notes = notesOf(file);
  if (notes.length > MOST_NOTES) return "malformed-hand-over";
  const known = [...keys];
  // A key that is found goes to the front, and is looked at in its turn.
  for (const waiting = [...keys]; ; ) {
    const key = waiting.pop();
    if (key === undefined) return known;
    const next = await nextOf(key, notes);
    if (typeof next === "string") return next;
    if (next === undefined || known.some((other) => sameKey(other, next))) continue;
    known.unshift(next);
    waiting.push(next);
  }
}

/** A note ends with its signatures, which begin with a dash and a blank, as no other line does. */
function notesOf(file: string): readonly string[] {
  const notes: string[] = [];
  let isOver = true;
  for (const line of file === "" ? [] : file.split(/(?<=\n)/)) {
    const signs = line.startsWith("\u2014 ");
    if (isOver && !signs) notes.push("");
    isOver = signs;
    if (notes.length > 0) notes[notes.length - 1] += line;
  }
  return notes;
}

/** The key that a key was handed over to. */
async function nextOf(key: LogKey, notes: readonly string[]): Promise<LogKey | HandOverFault | undefined> {
  let next: LogKey | undefined;
  for (const note of notes) {
    const signed = await readSigned(note, [key]);
    if (signed === "unknown-key") continue;
    if (signed === "unsupported") return signed;
    if (typeof signed === "string") return "malformed-hand-over";
    const [, line] = signed.text.startsWith(key.name + NEXT_KEY) ? signed.text.split("\n") : [];
    const named = line === undefined || signed.text !== `${key.name}${NEXT_KEY}${line}\n` ? undefined : readKey(line);
    if (named === undefined || named.name !== key.name) return "malformed-hand-over";
    if (next !== undefined && !sameKey(next, named)) return "forked-keys";
    next = named;
  }
  return next;
}

function sameKey(one: LogKey, other: LogKey): boolean {
  return one.name === other.name && sameBytes(one.key, other.key);
}
