const a = document.createElement("a");
a.href = "https://docs.example/";
a.target = "_blank";
