navigator.wakeLock.request("screen");
