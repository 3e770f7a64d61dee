const { localStorage: store } = window;
store.getItem("a");
