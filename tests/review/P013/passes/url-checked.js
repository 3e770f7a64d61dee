const { host } = new URL("https://docs.example/a");
if (text.startsWith("https://docs.example/")) show(host);
