$.getScript("strings.txt");
