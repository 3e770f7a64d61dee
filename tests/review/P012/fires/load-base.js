const base = document.createElement("base");
base.href = "https://cdn.example/";
document.head.prepend(base);
