$.ajax({ url: "https://collect.example/v1", method: "POST", data });
