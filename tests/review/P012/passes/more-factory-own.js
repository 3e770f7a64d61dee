h("a", { href: "/next" });
_jsx("script", { src: "./a.js" });
_jsx("input", { type: "text" });
