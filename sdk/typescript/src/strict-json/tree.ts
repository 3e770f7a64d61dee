/** The reader of every document: each value with its place, and as many faults as can be told in one pass. */

import { parts, splitLast } from "../pointer.js";
import { Counter, finish, type Steps } from "../steps.js";
import { compareBytes, loneSurrogate } from "../unicode.js";
import { type Fault, Stop } from "./fault.js";
import { Reader } from "./reader.js";

/**
 * More faults than this are not noted, but for the first of each kind: one more than anybody lists, so that a list that was
 * cut shows.
 */
const MOST_FAULTS = 201;

/** A value, where it starts, and what follows its end. Duplicate members are kept, all of them. */
export type Node = Value & { readonly start: number; readonly end: number };

type Value =
  | { readonly type: "null" }
  | { readonly type: "boolean"; readonly value: boolean }
  | { readonly type: "integer"; readonly value: number }
  | { readonly type: "refused-number" }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "array"; readonly elements: readonly Node[] }
  | { readonly type: "object"; readonly members: readonly Member[] };

/** One member of an object. */
export interface Member {
  readonly name: string;
  readonly start: number;
  readonly value: Node;
}

/** A document that was read: its root when it could be followed to its end, and every fault on the way. */
export interface Document {
  readonly text: string;
  readonly root: Node | undefined;
  readonly faults: readonly Fault[];
}

/** Any JSON value that the strict reader lets pass. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** What a document may be: artifacts and manifests are objects, some read-only documents are lists. */
export type Root = "object" | "any";

/** Reads a document from its bytes or its text. */
export function read(document: string | Uint8Array, expected: Root = "object"): Document {
  return finish(reading(document, expected));
}

/** `read`, in steps. */
export function* reading(document: string | Uint8Array, expected: Root = "object"): Steps<Document> {
  if (typeof document !== "string") return yield* readBytes(document, expected);
  const lone = loneSurrogate(document);
  if (lone >= 0) return refusal({ rule: "SVC-J002", start: lone, detail: "bytes that are not UTF-8" });
  if (document.startsWith("\ufeff")) {
    return refusal({ rule: "SVC-J002", start: 0, detail: "the document starts with a byte order mark" });
  }
  return yield* new Builder(document).document(expected);
}

/** The member of this name, when there is one (the first, should there be two). */
export function get(node: Node | undefined, name: string): Node | undefined {
  return node?.type === "object" ? node.members.find((member) => member.name === name)?.value : undefined;
}

/** The text of a string. */
export function textOf(node: Node | undefined): string | undefined {
  return node?.type === "string" ? node.value : undefined;
}

/** The value that a pointer leads to. */
export function nodeAt(root: Node, pointer: string): Node | undefined {
  let node: Node | undefined = root;
  for (const part of parts(pointer)) {
    if (node?.type === "array") node = /^[0-9]+$/.test(part) ? node.elements[Number(part)] : undefined;
    else node = get(node, part);
  }
  return node;
}

/** Where the value starts that a pointer leads to, or its nearest parent that is there. */
export function startOf(root: Node, pointer: string): number {
  let here: string | undefined = pointer;
  while (here !== undefined) {
    const found = nodeAt(root, here);
    if (found !== undefined) return found.start;
    here = splitLast(here)?.parent;
  }
  return root.start;
}

/** The value as JavaScript knows it. A member called `__proto__` is a member like any other. */
export function valueOf(node: Node): JsonValue {
  return finish(valuing(node));
}

/** `valueOf`, in steps. */
export function* valuing(node: Node, counter = new Counter()): Steps<JsonValue> {
  if (node.type === "array") {
    const list: JsonValue[] = [];
    for (const element of node.elements) {
      list.push(isLeaf(element) ? leafValue(element) : yield* valuing(element, counter));
      if (counter.isDue()) yield;
    }
    return list;
  }
  if (node.type !== "object") return leafValue(node);
  const object: { [name: string]: JsonValue } = {};
  for (const { name, value: inner } of node.members) {
    const value = isLeaf(inner) ? leafValue(inner) : yield* valuing(inner, counter);
    if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
    else object[name] = value;
    if (counter.isDue()) yield;
  }
  return object;
}

type Leaf = Exclude<Node, { type: "array" | "object" }>;

function isLeaf(node: Node): node is Leaf {
  return node.type !== "array" && node.type !== "object";
}

function leafValue(leaf: Leaf): JsonValue {
  return leaf.type === "null" || leaf.type === "refused-number" ? null : leaf.value;
}

/** What kind of value this is, in the words of error messages. */
export function typeName(node: Node): string {
  switch (node.type) {
    case "null":
      return "null";
    case "boolean":
      return "a boolean";
    case "integer":
    case "refused-number":
      return "a number";
    case "string":
      return "a string";
    case "array":
      return "a list";
    case "object":
      return "an object";
  }
}

function* readBytes(bytes: Uint8Array, expected: Root): Steps<Document> {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return refusal({ rule: "SVC-J002", start: 0, detail: "the document starts with a byte order mark" });
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refusal({ rule: "SVC-J002", start: 0, detail: "bytes that are not UTF-8" });
  }
  return yield* new Builder(text).document(expected);
}

function refusal(fault: Fault): Document {
  return { text: "", root: undefined, faults: [fault] };
}

class Builder {
  readonly #text: string;
  readonly #faults: Fault[] = [];
  readonly #reader: Reader;
  readonly #counter = new Counter();

  constructor(text: string) {
    this.#text = text;
    this.#reader = new Reader(text, (fault) => this.#note(fault));
  }

  *document(expected: Root): Steps<Document> {
    let root: Node | undefined;
    try {
      root = yield* this.#root(expected);
    } catch (stop) {
      if (!(stop instanceof Stop)) throw stop;
      this.#note(stop.fault);
    }
    return { text: this.#text, root, faults: this.#faults };
  }

  *#root(expected: Root): Steps<Node> {
    const root = this.#leaf() ?? (yield* this.#container());
    this.#reader.end();
    if (expected === "object" && root.type !== "object") {
      throw new Stop({ rule: "SVC-J003", start: root.start, detail: `the root is ${typeName(root)}, not an object` });
    }
    return root;
  }

  /** A list or an object. */
  *#container(): Steps<Node> {
    const reader = this.#reader;
    const token = reader.value();
    const start = reader.at;
    if (token === "object") {
      const members = yield* this.#members();
      return { type: "object", members, start, end: reader.at };
    }
    const elements = yield* this.#elements();
    return { type: "array", elements, start, end: reader.at };
  }

  /**
   * A value that holds no others; nothing for a list or an object. A document may have millions of values, so each is made
   * once and as it stays.
   */
  #leaf(): Node | undefined {
    const reader = this.#reader;
    const token = reader.value();
    const start = reader.at;
    switch (token) {
      case "object":
      case "array":
        return undefined;
      case "string": {
        const value = reader.string();
        return { type: "string", value, start, end: reader.at };
      }
      case "number": {
        const value = reader.number();
        return value === undefined ? { type: "refused-number", start, end: reader.at } : { type: "integer", value, start, end: reader.at };
      }
      case "null":
        reader.at += token.length;
        return { type: "null", start, end: reader.at };
      case "true":
      case "false":
        reader.at += token.length;
        return { type: "boolean", value: token === "true", start, end: reader.at };
    }
  }

  *#members(): Steps<Member[]> {
    this.#reader.descend();
    const members: Member[] = [];
    while (!this.#reader.ascend("}")) {
      if (members.length > 0) this.#reader.comma("}");
      const { name, start } = this.#reader.key();
      members.push({ name, start, value: this.#leaf() ?? (yield* this.#container()) });
      if (this.#counter.isDue()) yield;
    }
    this.#noteDuplicates(members);
    return members;
  }

  *#elements(): Steps<Node[]> {
    this.#reader.descend();
    const elements: Node[] = [];
    while (!this.#reader.ascend("]")) {
      if (elements.length > 0) this.#reader.comma("]");
      elements.push(this.#leaf() ?? (yield* this.#container()));
      if (this.#counter.isDue()) yield;
    }
    return elements;
  }

  #note(fault: Fault): void {
    const hasRoom = this.#faults.length < MOST_FAULTS || this.#faults.every(({ rule }) => rule !== fault.rule);
    if (hasRoom) this.#faults.push(fault);
  }

  #noteDuplicates(members: readonly Member[]): void {
    if (new Set(members.map((member) => member.name)).size === members.length) return;
    const sorted = [...members].sort((left, right) => compareBytes(left.name, right.name) || left.start - right.start);
    sorted.forEach((member, index) => {
      if (member.name !== sorted[index - 1]?.name) return;
      const name = [...member.name.slice(0, 128)].slice(0, 64).join("");
      this.#note({ rule: "SVC-J004", start: member.start, detail: `\`${name}\`` });
    });
  }
}
