const { localStorage: store = new Map() } = globalThis;
store.setItem("a", "b");
