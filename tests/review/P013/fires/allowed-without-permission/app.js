fetch("https://api.acme.dev/forecasts");
