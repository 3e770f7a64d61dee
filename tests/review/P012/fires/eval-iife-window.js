!function (w, u) {
  w["ev" + "al"](code);
}(window);
