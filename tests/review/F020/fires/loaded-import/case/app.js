import("./strings.txt");
