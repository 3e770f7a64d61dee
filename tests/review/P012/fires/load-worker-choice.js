const Maker = window.Worker || FakeWorker;
new Maker("https://cdn.example/worker.js");
