new Worker(new URL("/worker.js", "https://cdn.example"), { type: "module" });
