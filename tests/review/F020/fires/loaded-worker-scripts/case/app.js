importScripts("strings.txt");
