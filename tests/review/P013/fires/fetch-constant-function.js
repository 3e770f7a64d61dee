function root() {
  return "https://collect.example";
}
fetch(root() + "/x");
