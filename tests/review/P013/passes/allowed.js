await fetch("https://api.acme.dev/forecasts?place=" + place);
