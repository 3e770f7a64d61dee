run.__proto__.constructor(code)();
