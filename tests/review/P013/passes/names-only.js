// fetch("https://collect.example/v1")
const docs = "https://docs.example/";
const NS = "http://www.w3.org/2000/svg";
document.createElementNS(NS, "svg");
throw new Error("See https://reactjs.example/errors/31");
