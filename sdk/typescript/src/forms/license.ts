/** SPDX licence expressions: identifiers of the list, references, `AND`, `OR`, `WITH`, `+` and brackets. */

import { LICENSES } from "../generated/licenses.js";

type Token = "license" | "gnu" | "reference" | "addition" | "+" | "(" | ")" | "with" | "operator";

const MOST_BYTES = 200;
const CHARACTERS = /^[A-Za-z0-9.+: ()-]+$/;
const WORD = /[-a-zA-Z0-9.:]+/y;
const REFERENCE = /^(?:DocumentRef-[-a-zA-Z0-9.]*:)?LicenseRef-[-a-zA-Z0-9.]*/;
const ADDITION = /^(?:DocumentRef-[-a-zA-Z0-9.]*:)?AdditionRef-[-a-zA-Z0-9.]*/;
const OPERATORS: ReadonlySet<string> = new Set(["AND", "and", "OR", "or"]);

const OTHERS: ReadonlySet<string> = new Set(LICENSES.others.split(" "));
const GNU: ReadonlySet<string> = new Set(LICENSES.gnu.split(" "));
const EXCEPTIONS: ReadonlySet<string> = new Set(LICENSES.exceptions.split(" "));

/** What may stand behind each token; nothing stands for the start. */
const FOLLOWERS: { readonly [before in Token | "start"]: readonly Token[] } = {
  start: ["license", "gnu", "reference", "("],
  "(": ["license", "gnu", "reference", "("],
  operator: ["license", "gnu", "reference", "("],
  license: ["+", "with", "operator", ")"],
  gnu: ["with", "operator", ")"],
  reference: ["with", "operator", ")"],
  "+": ["with", "operator", ")"],
  with: ["addition"],
  addition: ["operator", ")"],
  ")": ["operator", ")"],
};

const LAST: readonly Token[] = ["license", "gnu", "reference", "addition", "+", ")"];

/** Whether a text is a licence expression. */
export function isLicense(text: string): boolean {
  if (text.length > MOST_BYTES || !CHARACTERS.test(text)) return false;
  const tokens = tokenize(text);
  if (tokens === undefined) return false;
  let before: Token | "start" = "start";
  let open = 0;
  for (const token of tokens) {
    if (!FOLLOWERS[before].includes(token)) return false;
    if (token === "(") open += 1;
    if (token === ")") open -= 1;
    if (open < 0) return false;
    before = token;
  }
  return open === 0 && before !== "start" && LAST.includes(before);
}

function tokenize(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === " ") {
      at += 1;
      // A plus belongs to the licence right before it.
      if (text[at] === "+") return undefined;
      continue;
    }
    const found = next(text, at);
    if (found === undefined) return undefined;
    tokens.push(found.token);
    at += found.length;
  }
  return tokens;
}

function next(text: string, at: number): { token: Token; length: number } | undefined {
  const first = text[at];
  if (first === "+" || first === "(" || first === ")") return { token: first, length: 1 };
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0];
  if (word === undefined) return undefined;
  if (OPERATORS.has(word)) return { token: "operator", length: word.length };
  if (word === "WITH" || word === "with") return { token: "with", length: word.length };
  if (OTHERS.has(word)) return { token: "license", length: word.length };
  if (GNU.has(word)) return { token: "gnu", length: word.length };
  if (EXCEPTIONS.has(word)) return { token: "addition", length: word.length };
  const reference = REFERENCE.exec(word)?.[0];
  if (reference !== undefined) return { token: "reference", length: reference.length };
  const addition = ADDITION.exec(word)?.[0];
  return addition === undefined ? undefined : { token: "addition", length: addition.length };
}
