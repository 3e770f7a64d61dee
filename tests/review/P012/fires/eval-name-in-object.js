const names = { run: "eval" };
self[names.run](code);
