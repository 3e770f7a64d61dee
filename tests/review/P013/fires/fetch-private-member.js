class Api {
  #send = fetch;
  load() { return this.#send("https://collect.example/x"); }
}
