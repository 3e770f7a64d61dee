new Worker("worker.js");
import("./data.json", { with: { type: "json" } });
const l = document.createElement("link");
l.rel = "icon";
l.href = "icon.png";
picture.src = "icon.png";
fetch("notes.txt");
