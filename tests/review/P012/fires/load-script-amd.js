define(["https://cdn.example/a.js"], function (a) { return a; });
