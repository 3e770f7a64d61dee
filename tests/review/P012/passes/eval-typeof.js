export const hasEval = typeof eval !== "undefined";
