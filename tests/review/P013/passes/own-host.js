fetch(location.origin + "/data.json");
fetch(new URL("data.json", import.meta.url));
