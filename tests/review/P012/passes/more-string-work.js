const text = "a-b".replace(/-/g, "").split("").reverse().join("");
const part = names[0].slice(1).toUpperCase();
