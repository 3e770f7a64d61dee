fetch("http://api.acme.dev/forecasts");
