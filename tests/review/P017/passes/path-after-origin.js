fetch("https://api.acme.dev/forecasts/" + place);
fetch(`https://api.acme.dev/${kind}/${place}`);
