({}).constructor.constructor("return 1")();
