const ENDPOINTS = { collect: "https://collect.example/v1" };
fetch(ENDPOINTS["collect"]);
