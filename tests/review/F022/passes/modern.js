export class A {
  static #b = 1;
  static c() { return #b in this && 1_000n ?? null; }
}
