import { readFileSync } from 'node:fs';

export const page = () => readFileSync(new URL('../ui/board.html', import.meta.url));
