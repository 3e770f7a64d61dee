const store = { localStorage: 1 };
store.localStorage += 1;
const { clipboard } = editor;
clipboard.writeText("a");
