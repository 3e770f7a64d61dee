const el = document.createElement("script");
el.setAttribute("src", "strings.txt");
document.head.append(el);
