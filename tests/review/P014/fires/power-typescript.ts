const store: Storage = window.localStorage as Storage;
store.setItem("a", "b");
