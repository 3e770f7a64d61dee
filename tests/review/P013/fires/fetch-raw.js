fetch(String.raw`https://collect.example/x`);
