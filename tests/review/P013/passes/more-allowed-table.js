const ENDPOINTS = { a: "https://api.acme.dev/v1" };
fetch(ENDPOINTS["a"]);
