const copy = new value.constructor(value.length);
const same = left.constructor === right.constructor;
