// What went wrong, in words for people.

import { EventError, LogError, ProofError, RegistryClientError } from "../../../sdk/typescript/src/client/errors.ts";
import type { Problem } from "../../../sdk/typescript/src/generated/artifacts.ts";
import { element, paragraph, prose } from "../dom.ts";
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

  /** A refusal of the registry. */
  static of({ code, detail, status, title }: Problem): Failure {
    const advice = status === 401 || status === 403 ? " Give a token of the scope `read` under Token and keys." : "";
    return new Failure(`The registry answered ${status} \`${code}\`: ${title}. ${detail}${advice}`, code);
  }
}

/** Whether something shows that the log or an answer is not what it claims to be. */
export function isAlarm(error: unknown): boolean {
  // What a follower says of records is never of the way that they came, but for these.
  if (error instanceof EventError) return !["follow-refused", "follow-pruned"].includes(error.code);
  return error instanceof LogError || error instanceof ProofError || (error instanceof RegistryClientError && error.code === "fail-open");
}

/** An error in a sentence. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RegistryClientError) return plain(`${error.message} (${error.code}).`);
  return plain(error instanceof Error ? error.message : "something went wrong");
}

/** An error as a part of the page. */
export function failed(error: unknown): HTMLElement {
  return paragraph(isAlarm(error) ? "bad alarm" : "doubt", ...(isAlarm(error) ? [element("strong", "", "This does not hold. ")] : []), prose(sentenceOf(error)));
}
