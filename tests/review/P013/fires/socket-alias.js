const Socket = window.WebSocket || window.MozWebSocket;
new Socket("wss://collect.example/live");
