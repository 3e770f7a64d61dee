/** @typedef {import("https://esm.example/lit").TemplateResult} Result */
export const a = 1;
