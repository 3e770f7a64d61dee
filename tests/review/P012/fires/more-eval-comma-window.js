const run = (0, window.eval);
run(code);
