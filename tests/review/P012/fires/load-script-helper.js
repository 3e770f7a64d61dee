function load(src) {
  const s = document.createElement("script");
  s.src = src;
  document.head.append(s);
}
load("https://cdn.example/a.js");
