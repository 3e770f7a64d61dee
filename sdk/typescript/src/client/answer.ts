/** Reads answers. Strict about what is known, open to members that a later version adds, closed to every open claim. */

import { ALL_GATES, FLAGS, MISSING_GATES } from "../closed.js";
import { digestJson } from "../digest.js";
import { type Draft, type Finding, isOpenClaim, ofFault, placed } from "../finding.js";
import type { Decision, Problem } from "../generated/artifacts.js";
import { ANSWER_SHAPES, SHAPES } from "../generated/shapes.js";
import { join } from "../pointer.js";
import { explain } from "../shape.js";
import { type Document, get, type JsonValue, type Node, read, type Root, valueOf } from "../strict-json/tree.js";
import { FailOpenError, UnexpectedAnswerError } from "./errors.js";
import type { Reply } from "./exchange.js";

/** A completed evaluation, or a throw. */
export function readDecision(reply: Reply): Decision {
  const document = readClosed(reply, MISSING_GATES);
  const findings = findingsOf(reply, document, "decision");
  if (get(document.root, "outcome")?.type !== "string" || findings.some((finding) => finding.pointer === "/outcome")) {
    throw new FailOpenError(["/outcome"], reply.requestId);
  }
  if (findings.length > 0) throw new UnexpectedAnswerError("unexpected-answer", reply, "the answer is not a decision", findings);
  const decision = valueOf(document.root as Node) as unknown as Decision;
  if (decision.decisionId !== decisionId(decision)) {
    throw new UnexpectedAnswerError("unexpected-answer", reply, "the decision's id does not recompute");
  }
  return decision;
}

/** A refusal, or a throw. */
export function readProblem(reply: Reply): Problem {
  const document = readClosed(reply, ALL_GATES);
  const findings = findingsOf(reply, document, "problem");
  if (findings.length > 0) throw new UnexpectedAnswerError("unexpected-answer", reply, "the answer is not a problem", findings);
  const problem = valueOf(document.root as Node) as unknown as Problem;
  if (problem.status !== reply.status) throw new UnexpectedAnswerError("unexpected-answer", reply, "the problem speaks of another status");
  return problem;
}

/** A read-only document. Some of them make statements about packages, and are held to the closed outcome too. */
export function readDocument(reply: Reply, makesStatements: boolean): JsonValue {
  const document = strict(reply, "any");
  const claims = makesStatements ? openClaims(document.root as Node, "") : [];
  if (claims.length > 0) throw new FailOpenError(claims, reply.requestId);
  return valueOf(document.root as Node);
}

/** The id of a decision: the digest of everything in it but what differs between two requests. */
export function decisionId(decision: object): string {
  const { decisionId: _, requestId: __, receipt: ___, ...view } = decision as { [member: string]: unknown };
  return digestJson(view).digest;
}

function readClosed(reply: Reply, missing: readonly string[]): Document {
  const document = strict(reply);
  const root = document.root as Node;
  const claims = openClaims(root, "");
  const gates = get(root, "missingGates");
  const named = gates?.type === "array" ? gates.elements.map((gate) => (gate.type === "string" ? gate.value : "")) : [];
  if (!missing.every((gate) => named.includes(gate))) claims.push("/missingGates");
  if (get(root, "gateStatuses")?.type !== "object") claims.push("/gateStatuses");
  for (const flag of FLAGS) if (get(root, flag) === undefined) claims.push(join("", flag));
  if (claims.length > 0) throw new FailOpenError(claims, reply.requestId);
  return document;
}

function strict(reply: Reply, expected: Root = "object"): Document {
  const document = read(reply.body, expected);
  if (document.root === undefined || document.faults.length > 0) {
    const findings = placed(document.faults.map(ofFault), document);
    throw new UnexpectedAnswerError("unexpected-answer", reply, "the answer is not strict JSON", findings);
  }
  return document;
}

/** Every member of a flag's name, anywhere, that is not literally `false`. */
function openClaims(node: Node, pointer: string): string[] {
  if (node.type === "array") return node.elements.flatMap((element, index) => openClaims(element, join(pointer, index)));
  if (node.type !== "object") return [];
  return node.members.flatMap(({ name, value }) => {
    const place = join(pointer, name);
    if (!FLAGS.includes(name)) return openClaims(value, place);
    return value.type === "boolean" && !value.value ? [] : [place];
  });
}

/** What does not fit. A member more is what a later version may add; a gate more is an open claim. */
function findingsOf(reply: Reply, document: Document, name: "decision" | "problem"): Finding[] {
  const drafts: Draft[] = explain(document.root as Node, name, { ...SHAPES, ...ANSWER_SHAPES }).filter((draft) => draft.rule !== "SVC-B012");
  const claims = drafts.filter(isOpenClaim);
  if (claims.length > 0) throw new FailOpenError(claims.map((claim) => claim.pointer), reply.requestId);
  return placed(drafts, document);
}
