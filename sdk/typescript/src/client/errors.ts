/** What a client throws. A refusal by the registry is not here: it is a `Problem`, and a value. */

import type { EventCode } from "../events/event-code.js";
import type { Finding } from "../finding.js";
import { frozen } from "../frozen.js";
import type { Problem } from "../generated/artifacts.js";
import { printable } from "../printable.js";
import type { SignedCheckpoint } from "../receipt/checkpoint.js";
import type { UnwitnessedFault } from "../receipt/policy.js";
import type { ReceiptFault } from "../receipt/receipt.js";

/** Why there is no answer that could be used. Codes stay; messages may change. */
export type ClientErrorCode =
  | "configuration"
  | "unreachable"
  | "timeout"
  | "aborted"
  | UnexpectedAnswerCode
  | "fail-open"
  | ProofCode
  | LogCode
  | EventCode;

/** What kind of thing came instead of an answer. */
export type UnexpectedAnswerCode = "redirect" | "too-large" | "unexpected-answer" | "contract";

/**
 * Why an answer is not proven: it has no receipt, its record was there before it was asked for, its record is of another
 * request, what a check of the receipt tells, or what a policy of witnesses tells of the newest state.
 */
export type ProofCode = "proof-missing" | "proof-stale" | "proof-other-request" | "proof-forked-keys" | `proof-${ReceiptFault | UnwitnessedFault}`;

/** Why two signed states are not of one log that grew. */
export type LogCode = "log-shrank" | "log-forked" | "log-unproven";

/** What is known about a failure beside its code. */
export interface ClientErrorContext {
  readonly cause?: unknown;
  /** The registry's name for the request. */
  readonly requestId?: string | undefined;
  /** How long whoever answered asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** Any failure of the client. Messages never hold the token or a body, and what they quote can be shown in a terminal. */
export class RegistryClientError extends Error {
  override readonly name: string = "RegistryClientError";
  readonly code: ClientErrorCode;
  /** The registry's name for the request, where an answer came that has one: its operator finds the request by it. */
  readonly requestId: string | undefined;
  /** How many milliseconds whoever answered asks to wait, where it does. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ClientErrorCode, message: string, { cause, requestId, retryAfterMs }: ClientErrorContext = {}) {
    super(printable(message), cause === undefined ? {} : { cause });
    this.code = code;
    // A problem's own word for it may hold line breaks.
    this.requestId = requestId === undefined ? undefined : printable(requestId);
    this.retryAfterMs = retryAfterMs;
  }
}

/** What is known of an answer beside its body. */
export interface AnswerHead {
  /** The HTTP status. */
  readonly status: number;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Whether somebody on the way gave it in the registry's place. */
  readonly fromIntermediary?: boolean | undefined;
}

/** An answer that is not what a registry of this API says. Nothing of it is used. */
export class UnexpectedAnswerError extends RegistryClientError {
  override readonly name: string = "UnexpectedAnswerError";
  /** The HTTP status. */
  readonly status: number;
  /**
   * Whether it is not the registry's: the status of a refusal, and no closed problem. Somebody on the way said it, such as a
   * balancer, and another try may get through.
   */
  readonly fromIntermediary: boolean;
  /** What was unexpected, where the body could be read. What hides or moves text is spelled out. */
  readonly findings: readonly Finding[];

  constructor(code: UnexpectedAnswerCode, { status, requestId, retryAfterMs, fromIntermediary = false }: AnswerHead, message: string, findings: readonly Finding[] = []) {
    super(code, fromIntermediary ? `somebody before the registry answered ${status}: ${message}` : message, { requestId, retryAfterMs });
    this.status = status;
    this.fromIntermediary = fromIntermediary;
    this.findings = frozen(findings.map((finding) => ({ ...finding, pointer: printable(finding.pointer), message: printable(finding.message) })));
  }
}

/**
 * An answer that is closed and differs from this version's contract: of another registry, or of another version. It is no
 * reason for alarm, and still nothing of it is used.
 */
export class ContractError extends UnexpectedAnswerError {
  override readonly name: string = "ContractError";

  constructor(head: AnswerHead, message: string, findings: readonly Finding[] = []) {
    super("contract", head, message, findings);
  }
}

/** A message names no more places than a person reads; the error has all of them. */
const MOST_NAMED = 20;

/** An answer that claims to be open. Treat whoever sent it as hostile: no registry that is closed can say it. */
export class FailOpenError extends RegistryClientError {
  override readonly name: string = "FailOpenError";
  /** Where the claim stands, as JSON pointers into the answer. In its names what hides or moves text is spelled out. */
  readonly pointers: readonly string[];

  constructor(pointers: readonly string[], requestId?: string) {
    const places = pointers.slice(0, MOST_NAMED).map((pointer) => `\`${pointer}\``).join(", ");
    const others = pointers.length > MOST_NAMED ? `, and at ${pointers.length - MOST_NAMED} other places` : "";
    super("fail-open", `the answer claims to be open at ${places}${others}`, { requestId });
    this.pointers = frozen(pointers.map(printable));
  }
}

/** An answer that its receipt does not prove, or that has none. Nobody sees such an answer. */
export class ProofError extends RegistryClientError {
  override readonly name: string = "ProofError";
  declare readonly code: ProofCode;

  constructor(code: ProofCode, message: string, requestId?: string) {
    super(code, message, { requestId });
  }
}

/** Two states of the log that do not belong together, both signed: keep them, they are evidence. */
export class LogError extends RegistryClientError {
  override readonly name: string = "LogError";
  declare readonly code: LogCode;
  /** What was known, and what came then. */
  readonly evidence: readonly [known: SignedCheckpoint, then: SignedCheckpoint];

  constructor(code: LogCode, message: string, evidence: readonly [SignedCheckpoint, SignedCheckpoint], requestId?: string) {
    super(code, message, { requestId });
    this.evidence = frozen([...evidence] as const);
  }
}

/** What is known of an event that was refused. */
export interface EventErrorContext {
  /** The place of the record that it is about. */
  readonly index?: number | undefined;
  /** The registry's own words, where it refused to serve the log from where it was asked for. */
  readonly problem?: Problem | undefined;
  /** The signed states that it is about. */
  readonly evidence?: readonly SignedCheckpoint[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** A delivery, a stream or a tile that is not what a log of refusals sends. Nothing of it is used. */
export class EventError extends RegistryClientError {
  override readonly name: string = "EventError";
  declare readonly code: EventCode;
  /** The place of the record that it is about, where it is about one. */
  readonly index: number | undefined;
  /** The registry's problem, where it gave one: `ahead-of-log` or `pruned`, or why it does not serve its log. */
  readonly problem: Problem | undefined;
  /** The signed states that it is about: keep them. */
  readonly evidence: readonly SignedCheckpoint[];

  constructor(code: EventCode, message: string, { index, problem, evidence = [], requestId, retryAfterMs }: EventErrorContext = {}) {
    super(code, message, { requestId: requestId ?? problem?.requestId, retryAfterMs });
    this.index = index;
    this.problem = problem;
    this.evidence = frozen([...evidence]);
  }
}
