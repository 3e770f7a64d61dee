for await (const x of y) z(x);
const o = { async *a() { yield* b; }, get [c]() { return 1; } };
label: for (;;) break label;
