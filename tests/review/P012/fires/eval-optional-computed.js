globalThis?.["eval"]?.(code);
