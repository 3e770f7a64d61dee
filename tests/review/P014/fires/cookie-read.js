const all = Object.fromEntries(document.cookie.split("; ").map((one) => one.split("=")));
