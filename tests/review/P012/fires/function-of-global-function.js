parseInt.constructor(code)();
