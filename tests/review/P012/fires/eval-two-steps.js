const g = globalThis;
const e = g.eval;
e(code);
