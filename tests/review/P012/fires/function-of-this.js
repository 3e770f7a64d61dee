this.constructor.constructor("return globalThis")();
