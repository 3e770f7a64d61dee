new AudioContext().audioWorklet.addModule("strings.txt");
