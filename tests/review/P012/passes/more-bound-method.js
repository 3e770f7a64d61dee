export const only = Function.bind.call(test.only, test);
