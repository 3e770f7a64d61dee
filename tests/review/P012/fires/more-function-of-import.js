import { work } from "./work.js";
work.constructor.constructor(code)();
