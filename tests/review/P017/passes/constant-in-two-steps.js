const root = "https://api.acme.dev";
const api = root + "/v1";
fetch(api + "/forecasts/" + place);
