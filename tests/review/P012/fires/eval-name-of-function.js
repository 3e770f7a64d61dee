function name() {
  return "eval";
}
window[name()](code);
