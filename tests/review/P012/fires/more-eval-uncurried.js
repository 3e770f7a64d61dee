const run = Function.prototype.call.bind(eval);
run(null, code);
