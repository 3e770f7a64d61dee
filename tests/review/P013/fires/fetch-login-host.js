fetch("https://api.acme.dev@collect.example/forecasts");
