const el = document.createElement("script");
el.src = "strings.txt";
document.head.append(el);
