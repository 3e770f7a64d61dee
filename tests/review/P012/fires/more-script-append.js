const s = document.createElement("script");
s.append(code);
document.head.append(s);
