const store = new Proxy(localStorage, {});
