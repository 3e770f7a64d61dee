class Api {
  #root = "https://collect.example";
  send() { return fetch(`${this.#root}/x`); }
}
