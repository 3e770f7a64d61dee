const address = new URL("https://collect.example/v1");
address.searchParams.set("a", "b");
fetch(address);
