import { b } from "./lib/b.js";
b();
