/**
 * Long work in short steps: one implementation for callers that wait, and for those that have an event loop to keep going.
 *
 * Work is a generator that yields every now and then. `finish` runs it to its end at once, `finishAsync` lets the event loop
 * run after each time slice.
 */

/** Work that can be interrupted. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** How long a time slice lasts, in milliseconds: shorter than a frame of a page. */
const SLICE_MS = 8;

/** How many values are worked on between two looks at the clock. */
const VALUES = 256;

/** Counts values, and says when a step is due. */
export class Counter {
  #left = VALUES;

  isDue(): boolean {
    this.#left -= 1;
    if (this.#left > 0) return false;
    this.#left = VALUES;
    return true;
  }
}

/** Runs work to its end. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs work to its end, and lets the event loop run in between. */
export async function finishAsync<T>(steps: Steps<T>): Promise<T> {
  let start = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - start < SLICE_MS) continue;
    await new Promise<void>((resolve) => setTimeout(resolve));
    start = performance.now();
  }
}
