const request = new Request("https://collect.example/v1", { method: "POST", body });
await fetch(request);
