new Worker("strings.txt");
