const { endpoint } = await settings.read();
await fetch(`${endpoint}/v1`);
