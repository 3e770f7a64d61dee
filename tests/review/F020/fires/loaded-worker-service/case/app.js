navigator.serviceWorker.register("/strings.txt");
