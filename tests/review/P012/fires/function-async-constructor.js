const AsyncFunction = (async () => {}).constructor;
await new AsyncFunction("api", code)(api);
