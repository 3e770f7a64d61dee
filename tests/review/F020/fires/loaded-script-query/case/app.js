const el = document.createElement("script");
el.src = "strings.txt?v=" + Date.now();
document.head.append(el);
