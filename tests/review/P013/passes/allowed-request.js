fetch(new Request("https://api.acme.dev/forecasts"));
