export function compile(eval_, Function2) {
  return Function2(eval_);
}
