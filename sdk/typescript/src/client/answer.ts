/**
 * Reads answers. Closed to every open claim, strict about what is known, open to members that a later version adds.
 *
 * In this order: a claim to be open, whatever else is wrong; JSON that is read in one way only; the contract. What is
 * closed and differs from the contract is told as that, never as open.
 */

import { ALL_GATES, MISSING_GATES } from "../closed.js";
import { digestJson } from "../digest.js";
import { type Finding, ofFault, placed } from "../finding.js";
import { frozen } from "../frozen.js";
import type { Decision, Problem } from "../generated/artifacts.js";
import { ANSWER_SHAPES, SHAPES } from "../generated/shapes.js";
import { SVC_DEFAULT } from "../rules/rule-set.js";
import { explain } from "../shape.js";
import { type Document, get, type JsonValue, type Node, read, textOf, valueOf } from "../strict-json/tree.js";
import { openClaims, openFlags } from "./claims.js";
import { type Description, DOCUMENT_SHAPES, type DocumentName, type DocumentOf } from "./documents.js";
import { ContractError, FailOpenError, UnexpectedAnswerError } from "./errors.js";
import type { Reply } from "./exchange.js";
import { isFromIntermediary, PROBLEM_TYPE } from "./intermediary.js";

/** An answer: a value, or the registry's problem. Both are closed. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

/** The refusal in an answer of another status than 200, or a throw. */
export function refusal(reply: Reply): { readonly ok: false; readonly problem: Problem } {
  return frozen({ ok: false, problem: readProblem(reply) });
}

/** A completed evaluation, or a throw. */
export function readDecision(reply: Reply): Decision {
  const decision = readShaped(reply, "decision", "application/json", MISSING_GATES) as unknown as Decision;
  if (decision.decisionId !== decisionId(decision)) throw new ContractError(reply, "the decision's id does not recompute");
  return decision;
}

function readProblem(reply: Reply): Problem {
  const problem = readShaped(reply, "problem", PROBLEM_TYPE, ALL_GATES) as unknown as Problem;
  if (problem.status !== reply.status) throw new ContractError(reply, "the problem speaks of another status");
  return problem;
}

/** A read-only document that makes statements about packages, such as the ledger, and is held to the closed outcome. */
export function readDocument<N extends DocumentName>(reply: Reply, name: N): DocumentOf<N> {
  return readShaped(reply, name, "application/json") as unknown as DocumentOf<N>;
}

/** A document that describes members, also those called `accepted`, and states nothing by them. */
export function readDescription(reply: Reply): Description {
  const { root, head } = readClosed(reply, openFlags);
  expectType(head, "application/json", "application/schema+json");
  if (root.type !== "object") throw new ContractError(head, "the answer is not an object");
  return valueOf(root) as Description;
}

/** The id of a decision: the digest of everything in it but what differs between two requests. */
export function decisionId(decision: object): string {
  const { decisionId: _, requestId: __, receipt: ___, ...view } = decision as { [member: string]: unknown };
  return digestJson(view);
}

type Head = Omit<Reply, "body"> & { readonly fromIntermediary: boolean };
type Closed = Document & { readonly root: Node; readonly head: Head };

function readShaped(reply: Reply, name: string, mediaType: string, missing: readonly string[] = []): JsonValue {
  const document = readClosed(reply, openClaims);
  const { head } = document;
  expectType(head, mediaType);
  const findings = findingsOf(document, name);
  if (findings.length > 0) throw new ContractError(head, `the answer has not the form of \`${name}\``, findings);
  const gates = get(document.root, "missingGates");
  const named = gates?.type === "array" ? gates.elements.map(textOf) : [];
  if (!missing.every((gate) => named.includes(gate))) throw new ContractError(head, "the answer leaves out missing gates");
  return valueOf(document.root);
}

/** Strict JSON without an open claim. A claim counts also where a member stands twice. */
function readClosed({ body, ...reply }: Reply, claimsOf: (root: Node) => string[]): Closed {
  const document = read(body, "any");
  const head = { ...reply, fromIntermediary: isFromIntermediary(reply, document) };
  const { root, faults } = document;
  const claims = root === undefined ? [] : claimsOf(root);
  if (claims.length > 0) throw new FailOpenError(claims, reply.requestId);
  if (root === undefined || faults.length > 0) {
    const findings = placed(SVC_DEFAULT, faults.map((fault) => ofFault(SVC_DEFAULT, fault)), document);
    throw new UnexpectedAnswerError("unexpected-answer", head, "the answer is not strict JSON", findings);
  }
  return { ...document, root, head };
}

function expectType(head: Head, ...known: readonly string[]): void {
  if (!known.includes(head.mediaType)) throw new ContractError(head, `the answer is not ${known[0]}`);
}

/** What does not fit. A member more is what a later version may add; a gate more has a rule of its own, and does not fit. */
// An answer is judged by the form that this package knows, whatever rules judge packages.
function findingsOf(document: Closed, name: string): Finding[] {
  const shapes = { ...SHAPES, ...ANSWER_SHAPES, ...DOCUMENT_SHAPES };
  return placed(SVC_DEFAULT, explain(SVC_DEFAULT, document.root, name, shapes, "passed").listed, document);
}
