const address = "wss://collect.example/live";
const socket = new WebSocket(address);
