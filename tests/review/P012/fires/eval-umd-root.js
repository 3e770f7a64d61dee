(function (root, factory) {
  if (typeof define === "function" && define.amd) define([], factory);
  else root.runner = factory(root);
})(typeof self !== "undefined" ? self : this, function (root) {
  return { run: function (code) { return eval(code); } };
});
