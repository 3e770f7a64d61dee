Function.prototype.call.call(eval, null, code);
