const l = document.createElement("link");
l.rel = "stylesheet";
l.href = "https://cdn.example/a.css";
document.head.append(l);
