function work() {}
work.constructor(code)();
