const { constructor: Make } = () => {};
Make(code)();
