$.getJSON("https://collect.example/v1?callback=?", show);
