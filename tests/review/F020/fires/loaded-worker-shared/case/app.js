new SharedWorker("./strings.txt");
