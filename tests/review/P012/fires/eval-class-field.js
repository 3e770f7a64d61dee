class Runner {
  run = eval;
  go(code) { return this.run(code); }
}
new Runner().go(code);
