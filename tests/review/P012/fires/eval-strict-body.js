"use strict";
export function run(code) {
  return eval(code);
}
