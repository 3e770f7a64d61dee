Reflect.construct(Worker, ["https://cdn.example/w.js"]);
