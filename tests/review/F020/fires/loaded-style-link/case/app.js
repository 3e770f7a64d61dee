const l = document.createElement("link");
l.rel = "stylesheet";
l.href = "look.dat";
document.head.append(l);
