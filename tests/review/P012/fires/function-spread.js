export const compile = (names, body) => new Function(...names, body);
