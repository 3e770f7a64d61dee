addEventListener("message", (event) => importScripts(event.data));
