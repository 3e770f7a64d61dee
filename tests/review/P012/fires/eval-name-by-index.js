const names = ["alert", "eval"];
window[names[1]](code);
