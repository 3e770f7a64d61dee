const a = document.createElement("a");
a.href = "https://docs.example/";
a.setAttribute("href", "https://docs.example/help");
