require(["https://cdn.example/a.js"], function (a) { a.start(); });
