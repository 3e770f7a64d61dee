const w = window;
const store = w.sessionStorage;
store.setItem("place", place);
