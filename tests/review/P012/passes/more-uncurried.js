const has = Function.call.bind(Object.prototype.hasOwnProperty);
const slice = Function.prototype.call.bind(Array.prototype.slice);
if (has(options, "a")) slice(list, 1);
