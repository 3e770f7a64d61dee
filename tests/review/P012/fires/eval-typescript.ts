export const run = (code: string): unknown => (globalThis as any).eval(code);
