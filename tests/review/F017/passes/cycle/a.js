import "./b.js";
