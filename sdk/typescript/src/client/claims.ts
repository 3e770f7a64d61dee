/**
 * The open claims of an answer: what nobody says who is closed, whoever wrote the registry.
 *
 * It asks for nothing of our own making. A registry that leaves out or adds to our contract is another one, and not open:
 * only a flag with another value than `false` is a claim, and a word that says done where an outcome, a status, a stage,
 * a gate or the code of a problem stands. The artifact hash is the one gate that a file can satisfy.
 */

import { FLAGS } from "../closed.js";
import { DONE_WORDS } from "../generated/gates.js";
import { join } from "../pointer.js";
import { get, type Node, textOf } from "../strict-json/tree.js";

const DONE: readonly string[] = DONE_WORDS;
const SPEAKING: readonly string[] = ["code", "outcome", "stage", "status"];
const SATISFIABLE = "artifact-hash";

/** Where a statement claims to be open, as JSON pointers. */
export function openClaims(node: Node, pointer = ""): string[] {
  if (node.type === "array") return node.elements.flatMap((element, index) => openClaims(element, join(pointer, index)));
  if (node.type !== "object") return [];
  const isSatisfiable = textOf(get(node, "gate")) === SATISFIABLE;
  return node.members.flatMap(({ name, value }) => {
    const place = join(pointer, name);
    if (isFlag(name)) return isFalse(value) ? [] : [place];
    if (SPEAKING.includes(name) && isDone(value)) return name === "status" && isSatisfiable ? [] : [place];
    if (name === "gateStatuses") return gateClaims(value, place);
    return openClaims(value, place);
  });
}

/** The same of a description, such as a schema: it speaks of flags deep inside, and has none itself. */
export function openFlags(node: Node): string[] {
  const members = node.type === "object" ? node.members : [];
  return members.filter(({ name, value }) => isFlag(name) && !isFalse(value)).map(({ name }) => join("", name));
}

function gateClaims(gates: Node, pointer: string): string[] {
  if (gates.type !== "object") return openClaims(gates, pointer);
  return gates.members.flatMap(({ name, value }) => {
    const place = join(pointer, name);
    if (isFlag(name)) return isFalse(value) ? [] : [place];
    const isOpen = isDone(value) || (value.type === "boolean" && value.value);
    if (isOpen) return name === SATISFIABLE ? [] : [place];
    // A gate may be an object of its own: who speaks in it is the gate.
    const inner = openClaims(value, place);
    return name === SATISFIABLE ? inner.filter((claim) => claim !== join(place, "status")) : inner;
  });
}

function isFlag(name: string): boolean {
  return FLAGS.includes(name.toLowerCase());
}

function isFalse(value: Node): boolean {
  return value.type === "boolean" && !value.value;
}

function isDone(value: Node): boolean {
  return DONE.includes((textOf(value) ?? "").trim().toLowerCase());
}
