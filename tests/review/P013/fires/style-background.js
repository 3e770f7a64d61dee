box.style.backgroundImage = "url(https://collect.example/p.png)";
