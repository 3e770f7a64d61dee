(function () {
  this.eval(code);
}).call(window);
