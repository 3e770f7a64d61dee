sheet.insertRule("a { background: url(https://collect.example/p.png) }");
