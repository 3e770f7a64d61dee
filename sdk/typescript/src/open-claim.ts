/**
 * Whether a document of the registry's claims anything to be open: in any member, at any depth, behind a duplicate.
 *
 * It accuses and never clears: whatever is not found to be open still has to prove what it says.
 */

import { ALL_GATES, FLAGS, MISSING_GATES } from "./closed.js";
import { FORMS } from "./generated/forms.js";
import { GATES } from "./generated/gates.js";
import type { Node } from "./strict-json/tree.js";

const CLOSED_OUTCOMES: readonly string[] = ["denied", "refused"];
const REACHABLE: readonly string[] = FORMS["reached-stage"].words;

/** Whether anything in a value claims to be open. */
export function isOpen(node: Node): boolean {
  if (node.type === "array") return node.elements.some(isOpen);
  if (node.type !== "object") return false;
  return node.members.some(({ name, value }) => claims(name, value) || isOpen(value));
}

function claims(name: string, value: Node): boolean {
  const word = value.type === "string" ? value.value : undefined;
  if ((FLAGS as readonly string[]).includes(name)) return value.type !== "boolean" || value.value;
  switch (name) {
    case "outcome":
      return word === undefined || !CLOSED_OUTCOMES.includes(word);
    case "stage":
      return word === undefined || !REACHABLE.includes(word);
    case "gateStatuses":
      return value.type === "object" && value.members.some((gate) => !isWordOf(gate.name, gate.value));
    case "missingGates":
      return !isList(value, MISSING_GATES) && !isList(value, ALL_GATES);
    default:
      return false;
  }
}

function isWordOf(name: string, value: Node): boolean {
  const gate = GATES.find((row) => row.gate === name);
  const words: readonly string[] = gate?.words ?? [];
  return value.type === "string" && words.includes(value.value);
}

function isList(value: Node, words: readonly string[]): boolean {
  const named = value.type === "array" ? value.elements : [];
  return named.length === words.length && named.every((gate, at) => gate.type === "string" && gate.value === words[at]);
}
