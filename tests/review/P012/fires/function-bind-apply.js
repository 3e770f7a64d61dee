const made = new (Function.bind.apply(Function, [null].concat(parts)))();
