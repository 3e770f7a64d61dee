class Loader {
  #tag = document.createElement("script");
  start() {
    this.#tag.src = "https://cdn.example/a.js";
    document.head.append(this.#tag);
  }
}
new Loader().start();
