fetch("https://api.acme.dev:443/forecasts");
