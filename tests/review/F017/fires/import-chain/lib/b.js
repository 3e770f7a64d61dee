export { b } from "../c.js";
