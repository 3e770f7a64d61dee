class A {
  static { this.#x = 1_000n; }
  static #x;
  accessor = 1;
}
const f = /[\p{L}--[a-z]]/v;
a ??= b?.[c] ?? d ** 2;
using;
