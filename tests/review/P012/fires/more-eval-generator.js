function* steps() {
  yield eval;
}
steps().next().value(code);
