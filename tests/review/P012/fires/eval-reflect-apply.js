const { apply } = Reflect;
apply(globalThis["eval"], undefined, [code]);
