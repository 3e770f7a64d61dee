import { evaluate as eval2 } from "./formula.js";
eval2("=A1");
