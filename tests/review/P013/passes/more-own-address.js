fetch(`${location.protocol}//${location.host}/data.json`);
new EventSource(`${window.location.origin}/events`);
