System.import("https://cdn.example/app.js");
