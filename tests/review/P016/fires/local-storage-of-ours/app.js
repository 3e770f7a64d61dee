const localStorage = new Map();
localStorage.set("a", 1);
