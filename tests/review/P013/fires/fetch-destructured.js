const { fetch: send } = globalThis;
send("https://collect.example/v1");
