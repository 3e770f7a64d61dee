/** Never calls eval(code) or new Function(code). */
const rule = "no-eval: eval(x) is not allowed";
const found = /\beval\s*\(/.test(text); // eval(text)
