// What went wrong, in words for people.

import { EventError, LogError, ProofError, RegistryClientError } from "../../../sdk/typescript/src/client/errors.ts";
import type { Problem } from "../../../sdk/typescript/src/generated/artifacts.ts";
import { element, paragraph, prose, type Child } from "../dom.ts";
import { plain } from "../model/text.ts";

/** Something that the page could not do, said in a sentence. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** The problem code of the registry, where it answered one. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }

  /** A refusal of the registry, to somebody who gave a token or none. */
  static of({ code, detail, status, title }: Problem, token: TokenGiven): Failure {
    const advice = status === 401 || status === 403 ? ` ${tokenAdvice(status, token, "read")}` : "";
    return new Failure(`The registry answered ${status} \`${code}\`: ${title}. ${detail}${advice}`, code);
  }
}

/** Whether a request went with a token. */
export type TokenGiven = "token" | "no-token";

/** What to do about a request that its token, or the lack of one, did not let through. */
export function tokenAdvice(status: 401 | 403, token: TokenGiven, scope: string): string {
  if (token === "no-token") return `Give a token of the scope \`${scope}\` under Token and keys.`;
  return status === 401
    ? "The token that you gave was refused: it is none of this registry's, or has ended. Give another one under Token and keys."
    : `The token that you gave lacks the scope \`${scope}\`. Give another one under Token and keys.`;
}

/** Whether something shows that the log or an answer is not what it claims to be. */
export function isAlarm(error: unknown): boolean {
  // What a follower says of records is never of the way that they came, but for these.
  if (error instanceof EventError) return !["follow-refused", "follow-pruned"].includes(error.code);
  return error instanceof LogError || error instanceof ProofError || (error instanceof RegistryClientError && error.code === "fail-open");
}

/** Where nothing came back, in words of ours: browsers have words of their own, each others. */
const NO_ANSWER: Readonly<Record<string, string>> = { unreachable: "the registry does not answer", timeout: "the registry did not answer in time" };

/** An error in a sentence. What the browser itself says of an error is never shown. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RegistryClientError) return plain(`${NO_ANSWER[error.code] ?? error.message} (${error.code}).`);
  return error instanceof Failure ? plain(error.message) : "Something went wrong in this page.";
}

/** The code of an error, where it has one. */
export const codeOf = (error: unknown): string => (error instanceof RegistryClientError ? error.code : "");

/** An error as a part of the page. An alarm is told by a screen reader at once. */
export function failed(error: unknown): HTMLElement {
  if (!isAlarm(error)) return paragraph("doubt", prose(begun(sentenceOf(error))));
  const made = paragraph("bad alarm", ...alarmWords(error));
  made.setAttribute("role", "alert");
  return made;
}

export const alarmWords = (error: unknown): Child[] => [element("strong", "", "This does not hold. "), prose(begun(sentenceOf(error)))];

/** A sentence with a capital letter at its beginning. */
export const begun = (sentence: string): string => sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
