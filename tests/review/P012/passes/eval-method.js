import { create, all } from "./mathjs.js";
const math = create(all);
math.eval("1 + 1");
