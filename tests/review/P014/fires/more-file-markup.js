box.innerHTML = `<input type="file" id="upload">`;
