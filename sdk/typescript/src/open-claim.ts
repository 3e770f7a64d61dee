/**
 * Whether a document of the registry's claims anything to be open: in any member, at any depth, behind a duplicate.
 *
 * It accuses and never clears: whatever is not found to be open still has to prove what it says.
 */

import { ALL_GATES, FLAGS, MISSING_GATES } from "./closed.js";
import { FORMS } from "./generated/forms.js";
import { GATES } from "./generated/gates.js";
import { get, type Node } from "./strict-json/tree.js";

const CLOSED_OUTCOMES: readonly string[] = ["denied", "refused"];
const REACHABLE: readonly string[] = FORMS["reached-stage"].words;

/** Whether anything in a value claims to be open. */
export function isOpen(node: Node): boolean {
  return hasClaim(node, claims);
}

type Claims = (name: string, value: Node) => boolean;

function hasClaim(node: Node, claims: Claims): boolean {
  if (node.type === "array") return node.elements.some((element) => hasClaim(element, claims));
  if (node.type !== "object") return false;
  return clearsAGate(node) || node.members.some(({ name, value }) => claims(name, value) || hasClaim(value, claims));
}

/**
 * Whether an answer says the whole no: every flag, the word of every gate and every missing gate, as a decision or a problem
 * has them.
 */
export function isWholeNo(answer: Node): boolean {
  const isDecided = get(answer, "outcome") !== undefined;
  const statuses = get(answer, "gateStatuses");
  const missing = get(answer, "missingGates");
  const isClosed = (flag: string) => isText(get(answer, flag), false);
  const hasWord = ({ gate, words }: (typeof GATES)[number]) => isText(get(statuses, gate), isDecided ? words[0] : words.at(-1));
  return FLAGS.every(isClosed) && GATES.every(hasWord) && missing !== undefined && isList(missing, isDecided ? MISSING_GATES : ALL_GATES);
}

/**
 * Whether a member that a host puts around an entry claims anything to be open: by its name, or inside it. A signature is a
 * claim here too, because nothing of ours is signed.
 */
export function isOpenHostMember(name: string, value: Node): boolean {
  const claimsOfHost: Claims = (name, value) => name === "signature" || name === "signatures" || claims(name, value);
  return claimsOfHost(name, value) || hasClaim(value, claimsOfHost);
}

function isText(node: Node | undefined, expected: string | boolean | undefined): boolean {
  return (node?.type === "string" || node?.type === "boolean") && node.value === expected;
}

/** Whether an object that speaks of a gate, such as a blocker, gives it a word that the gate does not have. */
function clearsAGate(node: Node): boolean {
  const gate = get(node, "gate");
  const status = get(node, "status");
  return gate?.type === "string" && status !== undefined && !isWordOf(gate.value, status);
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
      // A gate that is left out is one that nobody has to clear.
      return (
        ALL_GATES.some((gate) => get(value, gate) === undefined) ||
        (value.type === "object" && value.members.some((gate) => !isWordOf(gate.name, gate.value)))
      );
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
