const s = document.createElement("script");
s.src = "\\\\cdn.example\\a.js";
