_jsx("img", { src: "./a.png" });
_jsx("a", { href: "https://docs.example/" });
html`<a href="https://docs.example/">a</a>`;
