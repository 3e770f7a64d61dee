/** The keys of a log that are known: those that were pinned, and those that the notes of the log led to since. */

import type { LogKey } from "./checkpoint.js";
import { followHandOvers } from "./hand-over.js";

/** Gives the notes from key to key as the log serves them; nothing where there are none. */
export type ReadNotes = () => Promise<string | undefined>;

export class KnownKeys {
  #keys: readonly LogKey[];

  constructor(pinned: readonly LogKey[]) {
    this.#keys = pinned;
  }

  get all(): readonly LogKey[] {
    return this.#keys;
  }

  /** The name of the log. */
  get origin(): string {
    return this.#keys[0]?.name ?? "";
  }

  /** Checks something; once more where no known key signed it, with those that the notes lead to. */
  async check<T>(run: (keys: readonly LogKey[], origin: string) => Promise<T>, readNotes: ReadNotes | undefined): Promise<T | "forked-keys"> {
    const first = await run(this.#keys, this.origin);
    if (first !== "unknown-key" || readNotes === undefined) return first;
    const notes = await readNotes();
    const led = notes === undefined ? this.#keys : await followHandOvers(this.#keys, notes);
    if (led === "forked-keys") return led;
    if (typeof led === "string" || led.length === this.#keys.length) return first;
    this.#keys = led;
    return run(this.#keys, this.origin);
  }
}
