importScripts(...["./a.js", "https://cdn.example/b.js"]);
