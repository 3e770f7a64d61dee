navigator.sendBeacon(window.__config.endpoint, data);
