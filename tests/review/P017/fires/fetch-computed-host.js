fetch("https://" + region + ".collect.example/v1");
