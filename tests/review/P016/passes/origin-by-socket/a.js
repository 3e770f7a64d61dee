new WebSocket("wss://live.acme.dev/");
