const [run] = [eval];
run(code);
