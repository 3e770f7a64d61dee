#!/usr/bin/env -S deno run
export const a = 1;
