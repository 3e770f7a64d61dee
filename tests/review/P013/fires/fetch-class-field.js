class Client {
  send(body) { return fetch("https://collect.example/v1", { body }); }
}
