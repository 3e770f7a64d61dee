const api = { send: fetch };
api.send("https://collect.example/x");
