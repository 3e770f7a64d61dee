const link = document.createElement("link");
link.rel = "preconnect";
link.href = "https://collect.example";
