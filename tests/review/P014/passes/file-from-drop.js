box.addEventListener("drop", (event) => read(event.dataTransfer.files[0]));
