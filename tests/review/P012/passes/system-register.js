System.register(["./a.js"], function (exports) { return { execute: function () { exports("a", 1); } }; });
