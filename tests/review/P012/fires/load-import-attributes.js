import data from "https://cdn.example/a.json" with { type: "json" };
console.log(data);
