class Callable extends Function {
  constructor(body) {
    super("...args", body);
  }
}
new Callable(code)();
