for (const src of ["https://cdn.example/a.js", "https://cdn.example/b.js"]) {
  const s = document.createElement("script");
  s.src = src;
  document.head.append(s);
}
