Function.prototype.constructor.call(null, body)();
