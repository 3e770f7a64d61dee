export function start(code, run = eval) {
  return run(code);
}
