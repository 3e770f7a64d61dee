fetch("./data.json");
fetch("/data.json");
new EventSource(`events?place=${place}`);
