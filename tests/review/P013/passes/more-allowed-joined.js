fetch(["https://api.acme.dev", "v1", id].join("/"));
