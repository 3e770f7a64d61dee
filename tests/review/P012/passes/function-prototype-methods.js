const uncurry = Function.prototype.call.bind(Function.prototype.call);
const text = Function.prototype.toString.call(value);
