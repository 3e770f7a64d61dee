var $parcel$global = typeof globalThis !== "undefined" ? globalThis : typeof self !== "undefined" ? self : window;
var parcelRequire = $parcel$global["parcelRequire94c2"];
if (parcelRequire == null) {
  parcelRequire = function (id) { throw new Error("Cannot find module '" + id + "'"); };
  $parcel$global["parcelRequire94c2"] = parcelRequire;
}
