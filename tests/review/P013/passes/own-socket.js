new WebSocket("wss://" + location.host + "/live");
