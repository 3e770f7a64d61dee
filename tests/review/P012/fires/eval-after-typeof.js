if (typeof eval === "function") eval(code);
