Object.defineProperty(Function.prototype, "times", { value: times });
Function.prototype[Symbol.hasInstance];
