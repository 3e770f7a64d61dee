/** What a status alone says, whoever answered with it. */

/** What a registry says that failed, is busy or stops, and what a balancer says before one that is not there. */
const LATER: readonly number[] = [408, 429, 500, 502, 503, 504];
const FIRST_REFUSAL = 400;

/** Whether a status asks to come back. */
export function isLater(status: number): boolean {
  return LATER.includes(status);
}

/** Whether a status is of a refusal. */
export function isRefusal(status: number): boolean {
  return status >= FIRST_REFUSAL;
}
