import { attr, element } from "svelte/internal";
let img = element("img");
attr(img, "src", "https://collect.example/p.png");
