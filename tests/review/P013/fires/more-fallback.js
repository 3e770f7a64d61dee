const base = import.meta.env.VITE_API || "https://collect.example";
fetch(`${base}/v1`);
