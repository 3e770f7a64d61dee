const source = new EventSource("https://collect.example/events", { withCredentials: true });
