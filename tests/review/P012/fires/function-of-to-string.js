toString.constructor(code)();
