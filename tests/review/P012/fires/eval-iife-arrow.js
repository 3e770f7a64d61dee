((w) => w.eval(code))(globalThis);
