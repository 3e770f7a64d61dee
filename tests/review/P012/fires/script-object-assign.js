document.head.append(Object.assign(document.createElement("script"), { src: "https://cdn.example/a.js" }));
