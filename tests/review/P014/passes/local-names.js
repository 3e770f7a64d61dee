const localStorage = new Map();
localStorage.set("a", 1);
export function run(navigator) { navigator.geolocation.getCurrentPosition(); }
