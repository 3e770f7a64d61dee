const tag = document.createElement("script");
tag.setAttribute("type", "module");
tag.setAttribute("src", "https://cdn.example/app.js");
document.head.appendChild(tag);
