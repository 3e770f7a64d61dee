const d = document.createElement("script");
d.type = "application/ld+json";
d.textContent = JSON.stringify(product);
document.head.append(d);
