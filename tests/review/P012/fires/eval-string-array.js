const _0x4d3f = ["log", "eval", "1+1"];
(function (_0x2a) { _0x2a[_0x4d3f[1]](_0x4d3f[2]); })(window);
