const isFunction = (value) => value instanceof Function || typeof value === "function";
const tag = Object.prototype.toString.call(value) === "[object Function]";
