const a = document.createElement("a");
a.ping = "https://collect.example/x";
