var root = Function("return this")();
