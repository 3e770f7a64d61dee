new WebSocket("wss://api.acme.dev/live");
