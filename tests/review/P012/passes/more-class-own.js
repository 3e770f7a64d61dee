class A extends B {
  constructor() { super("text"); }
}
class C extends HTMLElement {}
