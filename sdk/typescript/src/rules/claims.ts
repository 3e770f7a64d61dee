/**
 * Claims of a standing: whether a text says of this package, or of its publisher, that it is official and the like. The
 * same words about anything else are no claim.
 */

import type { Manifest } from "../parts.js";
import type { RuleParameters } from "./rule-set.js";
import { type Break, type Word, wordsOf } from "./words.js";

type Known = RuleParameters["SVC-L009"];
type List = { [name in keyof Known]: Known[name] extends readonly string[] ? name : never }[keyof Known];

/** What a text is for: a name, sentences about the package, or a word on a button or beside a picture. */
export type TextUse = "name" | "prose" | "title";

/** The names of a package, which a text about it may use. */
export interface OwnNames {
  /** The name as it is written. */
  readonly name: readonly string[];
  /** All words of names, in lowercase. */
  readonly words: ReadonlySet<string>;
}

/** The names in a manifest. */
export function ownNamesOf({ name, shortName, publisher }: Manifest): OwnNames {
  const all = [name, shortName ?? "", publisher.name ?? "", publisher.id].flatMap(wordsOf);
  return { name: wordsOf(name).map(({ written }) => written), words: new Set(all.map(({ lower }) => lower)) };
}

/** Whether a text claims a standing for this package. */
export function hasClaim(known: Known, text: string, use: TextUse, own: OwnNames): boolean {
  const sentences = new Sentences(known, wordsOf(text), own);
  return sentences.words.some((_, at) => sentences.isOneOf(at, "words") && sentences.claims(at, use));
}

class Sentences {
  readonly words: readonly Word[];
  private readonly known: Known;
  private readonly own: OwnNames;

  constructor(known: Known, words: readonly Word[], own: OwnNames) {
    this.known = known;
    this.words = words;
    this.own = own;
  }

  isOneOf(at: number, list: List): boolean {
    const known: readonly string[] = this.known[list];
    return known.includes(this.words[at]?.lower ?? "");
  }

  claims(at: number, use: TextUse): boolean {
    const named = use === "name" && this.names(at);
    const opened = use !== "title" && this.opens(at);
    return (named || opened || this.qualifies(at) || this.isSaid(at)) && !this.isTakenBack(at);
  }

  /** What stands before a word; behind the last the sentence ends. */
  private before(at: number): Break {
    return this.words[at]?.before ?? "sentence";
  }

  /** The words before one in its sentence, the nearest first. */
  private back(at: number): number[] {
    const found: number[] = [];
    for (let word = at; word > 0 && this.before(word) !== "sentence"; word -= 1) found.push(word - 1);
    return found;
  }

  private isTakenBack(at: number): boolean {
    const back = this.back(at);
    return (
      back.slice(0, this.known.near).some((word) => this.isOneOf(word, "negations")) ||
      back.slice(0, 1).some((word) => this.isOneOf(word, "negations-beside"))
    );
  }

  /** A name that ends with the claim, or starts with a strong one. */
  private names(at: number): boolean {
    return at + 1 === this.words.length || (at === 0 && this.isOneOf(at, "leading"));
  }

  /** `the official Acme board`: only names stand between the claim and what the package is. */
  private qualifies(at: number): boolean {
    for (let next = at + 1; next <= at + this.known.near; next += 1) {
      const isClaim = this.isOneOf(next, "words");
      const before = this.before(next);
      if (before === "sentence" || (before === "clause" && !isClaim)) return false;
      if (this.isOneOf(next, "kinds") || this.isOwnName(next)) return true;
      if (!isClaim && !this.isOneOf(next, "adverbs") && !this.isName(next)) return false;
    }
    return false;
  }

  /** A word of the package's own names, or one that is written like a name. */
  private isName(at: number): boolean {
    const word = this.words[at];
    return word !== undefined && (this.own.words.has(word.lower) || /^\p{Uppercase}/u.test(word.written));
  }

  /** Whether the package's whole name starts here, as it is written. */
  private isOwnName(at: number): boolean {
    const { name } = this.own;
    return at >= 0 && name.length > 0 && name.every((word, offset) => word === this.words[at + offset]?.written);
  }

  /** `this board is now official` */
  private isSaid(at: number): boolean {
    const join = this.back(at).find((word) => !this.isOneOf(word, "adverbs") && !this.isOneOf(word, "words"));
    if (join === undefined || this.isOpinion(at)) return false;
    if (this.isOneOf(join, "contractions")) return this.before(join) === "sentence";
    const subject = this.back(join)[0];
    if (subject === undefined || !this.isOneOf(join, "copulas")) return false;
    const isPronoun = this.isOneOf(subject, "pronouns") && this.before(subject) === "sentence";
    return this.isOneOf(subject, "kinds") || this.isOwnName(subject + 1 - this.own.name.length) || isPronoun;
  }

  /** `Certified.`, `Certified by Acme` */
  private opens(at: number): boolean {
    const isMore = (word: number) => this.isOneOf(word, "adverbs") || this.isOneOf(word, "words");
    let next = at + 1;
    while (this.before(next) !== "sentence" && isMore(next)) next += 1;
    const isEnd = this.before(next) === "sentence" || this.isOneOf(next, "agents");
    return isEnd && !this.isOpinion(at) && this.back(at).every(isMore);
  }

  private isOpinion(at: number): boolean {
    return this.isOneOf(at, "opinions") && this.isOneOf(at + 1, "agents");
  }
}
