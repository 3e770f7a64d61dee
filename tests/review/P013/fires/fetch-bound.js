const send = window.fetch.bind(window);
send("https://collect.example/v1");
