const run = work.bind(null, "a");
work.apply(null, ["text"]);
Reflect.apply(work, null, ["text"]);
