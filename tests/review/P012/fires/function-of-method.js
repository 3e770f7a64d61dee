"".sub.constructor(code)();
