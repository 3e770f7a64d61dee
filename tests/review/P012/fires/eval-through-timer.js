setTimeout(eval, 0, code);
