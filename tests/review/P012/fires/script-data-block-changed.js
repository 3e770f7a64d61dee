const d = document.createElement("script");
d.type = "application/json";
d.textContent = code;
d.removeAttribute("type");
document.head.append(d);
