const s = document.querySelector("script").cloneNode();
s.src = "https://cdn.example/a.js";
document.head.append(s);
