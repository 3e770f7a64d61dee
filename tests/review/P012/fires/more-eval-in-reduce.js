[code].reduce((_, text) => eval(text), 0);
