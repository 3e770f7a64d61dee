fetch("HTTPS://API.Acme.Dev/forecasts");
