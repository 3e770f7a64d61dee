const img = new Image();
img.srcset = "https://collect.example/p.png 2x";
