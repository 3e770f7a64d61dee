const { eval: run = () => {} } = window;
run(code);
