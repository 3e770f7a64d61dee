console.log.constructor(code)();
