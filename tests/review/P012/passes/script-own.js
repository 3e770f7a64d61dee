const s = document.createElement("script");
s.src = "./chunks/board.js";
document.head.append(s);
