const tools = {
  get run() { return eval; },
};
tools.run(code);
