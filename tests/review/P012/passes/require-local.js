const a = require("./a.js");
define(["./b", "jquery"], (b, $) => $(b));
