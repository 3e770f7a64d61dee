const face = new FontFace("Inter", "url(https://fonts.example/inter.woff2)");
await face.load();
