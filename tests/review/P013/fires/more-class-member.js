class Api {
  url = "https://collect.example/v1";
  send() { return fetch(this.url); }
}
