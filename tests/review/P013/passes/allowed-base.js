const api = new URL("/forecasts", "https://api.acme.dev");
fetch(api);
