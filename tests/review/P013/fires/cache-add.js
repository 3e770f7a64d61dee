const cache = await caches.open("v1");
await cache.addAll(["./index.html", "https://cdn.example/a.js"]);
