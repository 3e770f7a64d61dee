with (window) {
  eval(code);
}
