const l = document.createElement("link");
l.rel = "preconnect";
l.href = "https://cdn.example";
document.head.append(l);
