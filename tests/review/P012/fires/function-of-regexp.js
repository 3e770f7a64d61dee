/./.test.constructor("return this")();
