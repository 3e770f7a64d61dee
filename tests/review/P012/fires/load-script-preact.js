import { h } from "preact";
export default () => h("script", { src: "//cdn.example/a.js" });
