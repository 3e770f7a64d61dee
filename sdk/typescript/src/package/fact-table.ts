/** The facts that this package knows: what reading files by its rules can tell. */

import { FACTS } from "../generated/facts.js";
import type { Fact } from "../parts.js";

/** What a fact says: one of the table, or that there is more of a kind than a report holds. */
export type Known = "one" | "cut";

/** The word of the row that stands for all rows of a kind that a report has no room for. */
const CUT = "cut";

/** The subject of a fact whose address or argument only the running code knows. */
export const COMPUTED = "computed";

/** The subject of a power that code calls. */
export const CALLED = "called";

/** The kind of facts about files that were not read to their end. */
export const UNREAD = "unread";

/** Kinds that only a parser tells: a file that it did not read may hold more of them. */
export const CODE_KINDS = "contact dynamic-code inline page power reference remote-code shape wasm".split(" ");

/** What a fact says, when reading files by these rules can have told it. */
export function known(fact: Fact): Known | undefined {
  const { kind, word, file, subject, place } = fact;
  if (word === CUT && file === undefined && subject === undefined) return isKind(kind) ? "cut" : undefined;
  const about = aboutOf(kind, word);
  if (about === undefined) return undefined;
  const isOfPlace = (file === undefined) === (about === "pattern") && (place === undefined || about !== "picture");
  return manifestPointerOf(fact) !== undefined || (isOfPlace && FITS[about](subject)) ? "one" : undefined;
}

/** The text of the manifest that a fact is about. Its subject is the pointer, without the first stroke, if it is not about the whole. */
export function manifestPointerOf({ kind, word, file, subject, place }: Fact): string | undefined {
  if (kind !== "secret" || word === CUT || file !== undefined || place !== undefined) return undefined;
  return subject === undefined ? "" : `/${subject}`;
}

/** Whether a kind of fact has this word. */
export function isWordOf(kind: keyof typeof FACTS, word: string): boolean {
  return aboutOf(kind, word) !== undefined;
}

/** What a fact is about. */
type About = { [kind in keyof typeof FACTS]: keyof (typeof FACTS)[kind] }[keyof typeof FACTS];

/** Whether a subject says what such a fact is about. */
const FITS: { readonly [about in About]: (subject: string | undefined) => boolean } = {
  address: (subject) => subject === COMPUTED || ORIGIN.test(subject ?? ""),
  argument: (subject) => subject === "constant" || subject === COMPUTED,
  file: (subject) => subject === undefined,
  name: () => true,
  pattern: (subject) => rowNumberOf(subject) !== undefined,
  picture: (subject) => pixelsOf(subject) !== undefined,
  use: (subject) => subject === CALLED || subject === "mentioned",
};

function aboutOf(kind: string, word: string): About | undefined {
  if (!isKind(kind)) return undefined;
  const words: { readonly [about in About]?: string } = FACTS[kind];
  return (Object.keys(words) as About[]).find((about) => words[about]?.split(" ").includes(word));
}

function isKind(kind: string): kind is keyof typeof FACTS {
  return Object.hasOwn(FACTS, kind);
}

const ORIGIN = /^(?:https?|wss?):\/\/[^/]+$/;

/** Numbers have one spelling, and rows at most nine digits. */
const ROW = /^(?:0|[1-9][0-9]{0,8})$/;
const PIXELS = /^([1-9][0-9]*)x([1-9][0-9]*)$/;
const MOST_PIXELS = 4294967295;

/** The number of a row that a subject is. */
export function rowNumberOf(subject: string | undefined): number | undefined {
  return ROW.test(subject ?? "") ? Number(subject) : undefined;
}

/** The size of a picture that a subject is. */
export function pixelsOf(subject: string | undefined): { readonly width: number; readonly height: number } | undefined {
  const found = PIXELS.exec(subject ?? "");
  if (found === null) return undefined;
  const [width, height] = [Number(found[1]), Number(found[2])];
  return width <= MOST_PIXELS && height <= MOST_PIXELS ? { width, height } : undefined;
}
