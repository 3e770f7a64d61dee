new Worker("https://cdn.example/w.js".concat("?v=1"));
