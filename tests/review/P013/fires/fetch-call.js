fetch.call(window, "https://collect.example/v1", { method: "POST" });
