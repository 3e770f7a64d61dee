const style = document.createElement("style");
style.textContent = "a{background:url(https://collect.example/p.png)}";
