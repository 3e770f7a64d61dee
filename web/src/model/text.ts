// Foreign texts on their way into the model: nothing hidden, no secret that the report knows of, no longer than a page bears.

import type { Fact, Manifest } from "../../../sdk/typescript/src/parts.ts";
import { manifestPointerOf } from "../../../sdk/typescript/src/package/fact-table.ts";
import { refusedAfter } from "../../../sdk/typescript/src/strict-json/characters.ts";
import { isControl } from "../../../sdk/typescript/src/unicode.ts";
import { grouped } from "../dom.ts";

/** The most characters of one text. */
const MOST_CHARACTERS = 2_000;

const HELD_BACK = "(not shown: it looks like a secret)";

/** A foreign text as it is shown. */
export type Shown = (text: string) => string;

/** A text in which what moves or hides text is spelled out. */
export function escaped(text: string): string {
  let [before, spelled]: [number | undefined, string] = [undefined, ""];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const isPlain = !isControl(point) && refusedAfter(before, point) === undefined;
    spelled += isPlain ? character : `\\u{${point.toString(16)}}`;
    before = point;
  }
  return spelled;
}

/** The text up to so many characters, and how many more there are. */
export function cut(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  return `${characters.slice(0, most).join("")}… (${grouped(characters.length - most)} more characters)`;
}

/** A foreign text, escaped and no longer than a page bears. */
export const plain: Shown = (text) => cut(escaped(text), MOST_CHARACTERS);

/**
 * How texts of a package are shown. What looks like a secret was looked for when the report was made, and its facts say where
 * in the manifest one stands.
 */
export function shownOf(manifest: Manifest, facts: readonly Fact[]): Shown {
  const pointers = facts.map(manifestPointerOf).filter((pointer) => pointer !== undefined && pointer !== "");
  const secrets = pointers.map((pointer) => textAt(manifest, pointer ?? "")).filter((text) => text !== undefined && text !== "");
  return (text) => (secrets.some((secret) => text.includes(secret ?? "")) ? HELD_BACK : plain(text));
}

function textAt(value: unknown, pointer: string): string | undefined {
  let found = value;
  for (const part of pointer.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as { readonly [member: string]: unknown })[name];
  }
  return typeof found === "string" ? found : undefined;
}

/** A number of things, in words. */
export const counted = (number: number, one: string, many: string): string => `${grouped(number)} ${number === 1 ? one : many}`;
