// Code that handles a yes. A line that ends with the number of an error must fail with it, and no other may fail.

import type { components } from "./registry.js";

type Decision = components["schemas"]["Decision"];
type Problem = components["schemas"]["Problem"];

declare const decision: Decision;
declare const problem: Problem;
declare function install(yes: true): void;

export const accepted: Decision = { ...decision, accepted: true }; // TS2322
export const signed: Decision = { ...decision, signed: true }; // TS2322
export const installable: Decision = { ...decision, installable: true }; // TS2322
export const outcome: Decision = { ...decision, outcome: "accepted" }; // TS2322
export const openProblem: Problem = { ...problem, installable: true }; // TS2322
export const flag: true = decision.installable; // TS2322

install(decision.accepted); // TS2345
install(decision.signed); // TS2345
install(decision.installable); // TS2345
install(problem.installable); // TS2345

if (decision.accepted === true) install(true); // TS2367
if (decision.signed === true) install(true); // TS2367
if (decision.installable === true) install(true); // TS2367
if (problem.accepted === true) install(true); // TS2367
if (decision.outcome !== "denied") decision.outcome.length; // TS2339
if (decision.gateStatuses["artifact-signing"] === "signed") install(true); // TS2367

switch (decision.installable) {
  case true: // TS2678
    install(true);
}

export const unknownMember = decision.approvedBy; // TS2339
export const withoutId: Omit<Decision, "decisionId"> = decision;
export const idIsMissing: Decision = withoutId; // TS2741
