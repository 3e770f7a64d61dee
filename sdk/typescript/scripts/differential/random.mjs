// Chance that can be repeated: the same seed gives the same cases.

export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** A whole number below `bound`. */
  below(bound) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  /** Whether something of this chance in a hundred happens. */
  chance(percent) {
    return this.below(100) < percent;
  }

  /** One of a list. */
  pick(list) {
    return list[this.below(list.length)];
  }
}
