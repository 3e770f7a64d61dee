var board = (function (exports) {
  "use strict";
  function start() { return 1; }
  exports.start = start;
  return exports;
})({});
