class Api {
  static url = "https://collect.example/v1";
  send() { return fetch(Api.url); }
}
