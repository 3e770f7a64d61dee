const img = document.createElement("img");
img.src = canvas.toDataURL();
img.alt = name;
