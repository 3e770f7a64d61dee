fetch(["https://collect.example", "v1", id].join("/"));
