const input = document.createElement("input");
input.setAttribute("type", "file");
