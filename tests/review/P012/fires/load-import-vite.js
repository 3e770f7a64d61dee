const __vitePreload = (load, deps) => Promise.all(deps.map(preload)).then(() => load());
const view = () => __vitePreload(() => import("https://cdn.example/assets/View-4f3a.js"), []);
