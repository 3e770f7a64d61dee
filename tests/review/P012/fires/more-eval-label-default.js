const { run = eval } = options;
run(code);
