Object.getOwnPropertyDescriptor(window, "eval").value(code);
