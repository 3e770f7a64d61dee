0..constructor.constructor(code)();
