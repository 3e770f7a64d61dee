const run = Reflect.get(globalThis, "eval").bind(undefined);
run(code);
