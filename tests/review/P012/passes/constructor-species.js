const Maker = list.constructor[Symbol.species];
const made = new Maker(2);
