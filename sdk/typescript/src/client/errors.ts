/** What a client throws. A refusal by the registry is not here: it is a `Problem`, and a value. */

import type { Finding } from "../finding.js";
import { frozen } from "../frozen.js";

/** Why there is no answer that could be used. */
export type ClientErrorCode = "configuration" | "unreachable" | "timeout" | "unexpected-answer" | "fail-open";

/** Any failure of the client. Messages never hold the token or a body. */
export class RegistryClientError extends Error {
  override readonly name: string = "RegistryClientError";
  readonly code: ClientErrorCode;

  constructor(code: ClientErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** An answer that is not what a registry of this API says. Nothing of it is used. */
export class UnexpectedAnswerError extends RegistryClientError {
  override readonly name: string = "UnexpectedAnswerError";
  /** The HTTP status. */
  readonly status: number;
  /** What was unexpected, where the body could be read. */
  readonly findings: readonly Finding[];

  constructor(status: number, message: string, findings: readonly Finding[] = []) {
    super("unexpected-answer", message);
    this.status = status;
    this.findings = frozen([...findings]);
  }
}

/** An answer that claims to be open. Treat whoever sent it as hostile: no registry of this API can say it. */
export class FailOpenError extends RegistryClientError {
  override readonly name: string = "FailOpenError";
  /** Where the claim stands, as JSON pointers into the answer. */
  readonly pointers: readonly string[];

  constructor(pointers: readonly string[]) {
    super("fail-open", `the answer claims to be open at ${pointers.map((pointer) => `\`${pointer}\``).join(", ")}`);
    this.pointers = frozen([...pointers]);
  }
}
