const s = document.createElement("script");
s.src = "https://api.example/data?callback=done";
document.body.appendChild(s);
