function evaluate(eval, code) {
  return eval(code);
}
module.exports = evaluate;
