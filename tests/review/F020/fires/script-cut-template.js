const a = `hello ${name
