const map = document.createElement("script");
map.type = "importmap";
map.textContent = JSON.stringify({ imports: { vue: "https://cdn.example/vue.js" } });
document.head.append(map);
