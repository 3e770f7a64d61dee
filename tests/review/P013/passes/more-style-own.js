box.style.backgroundImage = "url(./a.png)";
sheet.insertRule("a { color: red }");
