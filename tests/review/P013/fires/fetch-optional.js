await window?.fetch?.("https://collect.example/v1");
