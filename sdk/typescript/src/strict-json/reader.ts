/**
 * The tokenizer: a cursor over a text that knows the grammar and every bound.
 *
 * It never recurses. What can be passed over (numbers, characters, surrogates) is given to `note`; what cannot is thrown
 * as a `Stop`.
 */

import { LIMITS } from "../generated/limits.js";
import { utf8Length } from "../unicode.js";
import { refusedAfter } from "./characters.js";
import { type Fault, type FaultRule, Stop } from "./fault.js";

/** What starts at the cursor. */
export type Token = "object" | "array" | "string" | "number" | "true" | "false" | "null";

const SPACE = /[ \t\n\r]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const NUMBER = /[-+.eE0-9]*/y;
const FOUR_HEX = /[0-9a-fA-F]{4}/y;
const SUSPICIOUS = /[^ -~]/;
const LAST_SPACE = 32;
const ZERO = 48;
/** As many digits as are always within ±(2^53−1), and what would make more than digits of a number. */
const SHORT_DIGITS = 15;
const IN_NUMBER = /[-+.eE]/;
const SHORT_ESCAPES: { readonly [letter: string]: string } = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** A cursor over one document. */
export class Reader {
  at = 0;
  readonly #text: string;
  readonly #note: (fault: Fault) => void;
  #depth = 0;

  constructor(text: string, note: (fault: Fault) => void) {
    this.#text = text;
    this.#note = note;
  }

  /** Skips white space and tells what value starts here. */
  value(): Token {
    this.#space();
    switch (this.#text[this.at]) {
      case "{":
        return "object";
      case "[":
        return "array";
      case '"':
        return "string";
      case "t":
        return this.#word("true");
      case "f":
        return this.#word("false");
      case "n":
        return this.#word("null");
      default:
        if (/[-0-9]/.test(this.#text[this.at] ?? "")) return "number";
        throw this.#unexpected("expected a value");
    }
  }

  /** Passes `{` or `[` and counts the level. */
  descend(): void {
    this.at += 1;
    this.#depth += 1;
    if (this.#depth > LIMITS["json-depth"]) {
      throw this.#stop("SVC-J005", this.at - 1, `nested deeper than ${LIMITS["json-depth"]} levels`);
    }
  }

  /** Passes `close` when it is next and leaves the level. */
  ascend(close: "}" | "]"): boolean {
    this.#space();
    const closed = this.#text[this.at] === close;
    if (closed) {
      this.at += 1;
      this.#depth -= 1;
    }
    return closed;
  }

  /** Passes the comma between two values. */
  comma(close: "}" | "]"): void {
    this.#space();
    if (this.#text[this.at] !== ",") throw this.#unexpected(`expected \`,\` or \`${close}\``);
    this.at += 1;
    this.#space();
    if (this.#text[this.at] === close) throw this.#unexpected("a trailing comma is not JSON");
  }

  /** Passes a member name and its colon. */
  key(): { readonly name: string; readonly start: number } {
    this.#space();
    const start = this.at;
    if (this.#text[start] !== '"') throw this.#unexpected("expected a member name in double quotes");
    const { text, fault } = this.#string();
    const most = LIMITS["json-member-name"];
    const long = utf8Length(text) > most ? this.#fault("SVC-J005", start, `a member name longer than ${most} bytes`) : undefined;
    const found = fault ?? long;
    if (found !== undefined) this.#note(found);
    this.#space();
    if (this.#text[this.at] !== ":") throw this.#unexpected("expected `:` after a member name");
    this.at += 1;
    return { name: text, start };
  }

  /** Passes a string. */
  string(): string {
    const { text, fault } = this.#string();
    if (fault !== undefined) this.#note(fault);
    return text;
  }

  /** Passes a number; nothing when it is not an integer within ±(2^53−1). */
  number(): number | undefined {
    const short = this.#shortInteger();
    if (short !== undefined) return short;
    const start = this.at;
    const token = this.#run(NUMBER);
    const digits = token.startsWith("-") ? token.slice(1) : token;
    if (!/^[0-9]/.test(digits)) throw this.#stop("SVC-J001", start, "a number needs a digit");
    if (/^0[0-9]/.test(digits)) throw this.#stop("SVC-J001", start, "a number has no leading zeros");
    const refuse = (detail: string): undefined => this.#note(this.#fault("SVC-J006", start, detail)) as undefined;
    if (!/^[0-9]+$/.test(digits)) return refuse("only integers exist here: no fraction, no exponent");
    if (token === "-0") return refuse("zero has no sign");
    const number = Number(token);
    return Number.isSafeInteger(number) ? number : refuse("beyond ±(2^53−1)");
  }

  /** Notes whatever is left but white space. */
  end(): void {
    this.#space();
    if (this.at < this.#text.length) {
      this.#note(this.#fault("SVC-J008", this.at, "something follows the end of the document"));
    }
  }

  #string(): { text: string; fault: Fault | undefined } {
    const start = this.at;
    this.at += 1;
    let text = this.#run(PLAIN);
    let fault: Fault | undefined;
    while (this.#text[this.at] !== '"') {
      if (this.#text[this.at] === "\\") {
        const escaped = this.#escape();
        fault ??= escaped.fault;
        text += escaped.text;
      } else if (this.at < this.#text.length) {
        throw this.#unexpected("a control character must be escaped inside a string");
      } else throw this.#unexpected('expected `"`');
      text += this.#run(PLAIN);
    }
    this.at += 1;
    return { text, fault: fault ?? this.#stringFault(text, start) };
  }

  #stringFault(text: string, start: number): Fault | undefined {
    const most = LIMITS["json-string"];
    if (utf8Length(text) > most) return this.#fault("SVC-J005", start, `a string longer than ${most} bytes`);
    if (!SUSPICIOUS.test(text)) return undefined;
    let before: number | undefined;
    for (const character of text) {
      const point = character.codePointAt(0) ?? 0;
      const name = refusedAfter(before, point);
      before = point;
      if (name !== undefined) {
        const shown = point.toString(16).toUpperCase().padStart(4, "0");
        return this.#fault("SVC-J007", start, `U+${shown}, a ${name}`);
      }
    }
    return undefined;
  }

  #escape(): { text: string; fault?: Fault } {
    const start = this.at;
    this.at += 1;
    const letter = this.#text[this.at] ?? "";
    if (letter === "u") return this.#unicodeEscape(start);
    const short = Object.hasOwn(SHORT_ESCAPES, letter) ? SHORT_ESCAPES[letter] : undefined;
    if (short === undefined) throw this.#unexpected('expected one of " \\ / b f n r t u after `\\`');
    this.at += 1;
    return { text: short };
  }

  #unicodeEscape(start: number): { text: string; fault?: Fault } {
    this.at += 1;
    const high = this.#fourHex();
    if (high >= 0xd800 && high < 0xdc00 && this.#text.startsWith("\\u", this.at)) {
      const before = this.at;
      this.at += 2;
      const low = this.#fourHex();
      if (low >= 0xdc00 && low < 0xe000) return { text: String.fromCharCode(high, low) };
      this.at = before;
    }
    if (high < 0xd800 || high >= 0xe000) return { text: String.fromCharCode(high) };
    return { text: "\ufffd", fault: this.#fault("SVC-J002", start, "half of a surrogate pair") };
  }

  #fourHex(): number {
    const digits = this.#run(FOUR_HEX);
    if (digits === "") throw this.#unexpected("expected four hexadecimal digits");
    return Number.parseInt(digits, 16);
  }

  #word(word: "true" | "false" | "null"): Token {
    if (!this.#text.startsWith(word, this.at)) throw this.#unexpected("expected a value");
    return word;
  }

  /** Passes white space. Most documents that are large have little of it. */
  #space(): void {
    if (this.#text.charCodeAt(this.at) <= LAST_SPACE) this.#run(SPACE);
  }

  /** An integer that is told by its digits alone, which most are; else nothing, and nothing is passed. */
  #shortInteger(): number | undefined {
    const first = this.#text.charCodeAt(this.at) - ZERO;
    let [number, end] = [0, this.at];
    for (let digit = first; digit >= 0 && digit <= 9; digit = this.#text.charCodeAt(end) - ZERO) {
      number = number * 10 + digit;
      end += 1;
    }
    const length = end - this.at;
    if (length === 0 || length > SHORT_DIGITS || (length > 1 && first === 0) || IN_NUMBER.test(this.#text[end] ?? "")) return undefined;
    this.at = end;
    return number;
  }

  #run(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  #unexpected(expected: string): Stop {
    const ended = this.at >= this.#text.length;
    return this.#stop("SVC-J001", this.at, ended ? `${expected}, found the end of the document` : expected);
  }

  #stop(rule: FaultRule, start: number, detail: string): Stop {
    return new Stop(this.#fault(rule, start, detail));
  }

  #fault(rule: FaultRule, start: number, detail: string): Fault {
    return { rule, start, detail };
  }
}
