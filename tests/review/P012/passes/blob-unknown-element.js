preview.src = URL.createObjectURL(file);
