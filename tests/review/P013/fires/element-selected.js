document.querySelector("main img.hero").src = "https://collect.example/p.png";
