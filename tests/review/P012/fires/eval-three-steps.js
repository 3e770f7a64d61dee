const w = window, s = w.self, t = s.top;
const run = t["eval"];
run(code);
