/** What the strict reader refuses. */

/** The rules that the strict reader speaks for. */
export type FaultRule =
  | "SVC-J001"
  | "SVC-J002"
  | "SVC-J003"
  | "SVC-J004"
  | "SVC-J005"
  | "SVC-J006"
  | "SVC-J007"
  | "SVC-J008";

/** One refusal with its place, in UTF-16 units of the text. */
export interface Fault {
  readonly rule: FaultRule;
  readonly start: number;
  readonly detail: string;
}

/** A refusal after which the text cannot be followed any further. It never leaves this folder. */
export class Stop extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.detail);
    this.fault = fault;
  }
}
