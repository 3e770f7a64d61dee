window.open("https://collect.example/login", "login", "width=400");
