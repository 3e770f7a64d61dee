export const flags = { eval: false, "eval-source-map": true };
if (flags.eval) warn();
