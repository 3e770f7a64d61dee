const bytes = await (await fetch("data:application/octet-stream;base64,AAAA")).arrayBuffer();
img.src = URL.createObjectURL(new Blob([bytes]));
