const config = { api: { url: "https://collect.example" } };
fetch(config.api.url + "/v1");
