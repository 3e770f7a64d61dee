fetch("https://api.acme.dev:8443/forecasts");
