fetch("https:\\\\collect.example\\v1");
