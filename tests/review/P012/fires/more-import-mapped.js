const sources = ["https://cdn.example/a.js"];
await Promise.all(sources.map((source) => import(source)));
