const el = document.createElement("script");
el.insertAdjacentText("beforeend", code);
document.head.append(el);
