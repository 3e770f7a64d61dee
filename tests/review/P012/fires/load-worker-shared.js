const port = new SharedWorker("//cdn.example/shared.js").port;
