(new Image(1, 1)).src = "https://collect.example/p.gif?u=" + encodeURIComponent(user);
