const base = isTest ? "./test/" : "https://api.acme.dev/";
fetch(base + "forecasts");
