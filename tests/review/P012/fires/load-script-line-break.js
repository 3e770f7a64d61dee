const s = document.createElement("script");
s.src = "ht\ntps://cdn.example/a.js";
