for (let i = 0; i < n; i++) if (a < b && c > d) run(a<b, c>d);
