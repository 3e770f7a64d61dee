class Worker {
  constructor(address) { this.address = address; }
}
new Worker("https://cdn.example/a.js");
