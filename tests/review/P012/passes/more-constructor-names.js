const name = value.constructor.name;
if (value.constructor === Object) copy(value);
class A {}
const made = new A.prototype.constructor();
