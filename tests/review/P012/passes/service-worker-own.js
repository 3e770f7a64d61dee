navigator.serviceWorker.register("./sw.js", { scope: "./" });
