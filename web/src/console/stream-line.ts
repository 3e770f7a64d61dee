// What is known of the way by which new decisions come: what was heard of it and when, and no more.

import { LIMITS } from "../../../sdk/typescript/src/generated/limits.ts";
import { element, prose } from "../dom.ts";
import { sentenceOf } from "./failure.ts";
import { clock } from "./page.ts";

/** How often a registry sends something, be it a comment, and after how long a stream without any is called quiet. */
const COMMENT_SECONDS = LIMITS["event-stream-comment"];
const QUIET_MS = COMMENT_SECONDS * 1_500;

export class StreamLine {
  readonly element = element("div", "fine way");
  #heardAt: string | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(signal: AbortSignal) {
    signal.addEventListener("abort", () => clearTimeout(this.#watch));
    this.#tell("Connecting to the stream…");
  }

  /** The stream answered, or sent something. */
  heard(): void {
    if (this.#isOver) return;
    this.#heardAt = clock();
    this.#tell("New decisions come by the stream.");
    this.#watch = setTimeout(() => this.#tell(`Nothing comes by the stream, not even the comment that a registry sends every ${COMMENT_SECONDS} seconds: what is new may be missing here.`), QUIET_MS);
  }

  ended(): void {
    this.#tell("The stream ended, as each does after a while. It is opened again.");
  }

  brokeOff(error: unknown): void {
    this.#tell(`The stream broke off: ${sentenceOf(error)} It is opened again.`);
  }

  /** There is no stream: the server is asked instead, and was just now unless this says why not. */
  asks(everyMs: number, error?: unknown): void {
    const every = `every ${everyMs / 1000} seconds`;
    if (error === undefined) this.#heardAt = clock();
    this.#tell(error === undefined ? `This server has no stream: it is asked ${every}.` : `This server has no stream, and could not be asked: ${sentenceOf(error)} It is asked again ${every}.`);
  }

  /** After an alarm: nothing that is heard later takes its place. */
  over(): void {
    this.#tell("Nothing more is read. What stands below was read before the alarm. Keep it: it is evidence.");
    this.#isOver = true;
  }

  #tell(words: string): void {
    clearTimeout(this.#watch);
    if (this.#isOver) return;
    this.element.replaceChildren(prose(this.#heardAt === undefined ? words : `${words} Last heard at ${this.#heardAt}.`));
  }
}
