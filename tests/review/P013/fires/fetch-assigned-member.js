class Api {
  constructor() {
    this.root = "https://collect.example/";
  }
  send() {
    return fetch(this.root + "x");
  }
}
