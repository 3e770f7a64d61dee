/** The end of waiting: by time, or by the caller. It also ends the wait for what does not listen to signals. */

import { RegistryClientError } from "./errors.js";

/** Why nobody waits any longer. */
export class Stopped extends Error {
  readonly code: "timeout" | "aborted";

  constructor(code: "timeout" | "aborted", message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }

  /** The same for the caller. */
  errorFor(requestId: string | undefined): RegistryClientError {
    return new RegistryClientError(this.code, this.message, { cause: this.cause, requestId });
  }
}

/** A bound of time, and the caller's own signal where there is one. */
export class Deadline {
  readonly #abort = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #caller: AbortSignal | undefined;
  readonly #onAbort = () => this.#abort.abort(aborted(this.#caller));

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#timer = setTimeout(() => this.#abort.abort(new Stopped("timeout", `no whole answer within ${timeoutMs} ms`)), timeoutMs);
    this.#caller = caller;
    if (caller?.aborted === true) this.#onAbort();
    else caller?.addEventListener("abort", this.#onAbort);
  }

  /** For what listens to signals. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Throws when it is over already. */
  check(): void {
    if (this.signal.aborted) throw (this.signal.reason as Stopped).errorFor(undefined);
  }

  /** Waits for something no longer than this. */
  hold<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.signal.reason);
      const settle = () => this.signal.removeEventListener("abort", stop);
      if (this.signal.aborted) stop();
      else this.signal.addEventListener("abort", stop);
      work.then(resolve, (cause) => reject(this.signal.aborted ? this.signal.reason : cause)).finally(settle);
    });
  }

  /** Ends the watch. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }
}

function aborted(caller: AbortSignal | undefined): Stopped {
  return new Stopped("aborted", "the caller ended the request", caller?.reason);
}
