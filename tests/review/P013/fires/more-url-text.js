const address = new URL("https://collect.example/v1");
fetch(address.toString());
