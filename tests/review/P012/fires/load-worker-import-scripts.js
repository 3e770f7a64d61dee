self.importScripts("https://cdn.example/workbox-sw.js");
