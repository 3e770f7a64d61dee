fetch("https://a.tiles.acme.dev/1/2/3.png");
