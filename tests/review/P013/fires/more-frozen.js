const API = Object.freeze({ url: "https://collect.example/v1" });
fetch(API.url);
