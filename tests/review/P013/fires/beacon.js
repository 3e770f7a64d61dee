addEventListener("pagehide", () => navigator.sendBeacon("https://collect.example/v1", data));
