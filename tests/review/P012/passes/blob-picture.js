const img = new Image();
img.src = URL.createObjectURL(file);
