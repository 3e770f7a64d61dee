class A {}
A.constructor(code)();
