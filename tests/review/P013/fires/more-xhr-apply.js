const r = new XMLHttpRequest();
r.open.apply(r, ["GET", "https://collect.example/v1"]);
