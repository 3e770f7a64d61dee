const made = Function.call(null, "a", body);
