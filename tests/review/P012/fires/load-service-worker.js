navigator.serviceWorker?.register("https://cdn.example/sw.js");
