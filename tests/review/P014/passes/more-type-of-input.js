const input = document.createElement("input");
input.type = "text";
filter.type = "file";
