const run = new Proxy(eval, {});
run(code);
