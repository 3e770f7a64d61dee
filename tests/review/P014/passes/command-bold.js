document.execCommand("bold");
const input = document.createElement("input");
input.type = "checkbox";
