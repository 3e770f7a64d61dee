const img = document.createElement("img");
img.setAttribute("src", "https://collect.example/p.png");
