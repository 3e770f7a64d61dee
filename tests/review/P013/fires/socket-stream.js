new WebSocketStream("wss://collect.example/x");
