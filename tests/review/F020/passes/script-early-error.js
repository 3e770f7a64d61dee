class A { get() { return this.#b; } }
