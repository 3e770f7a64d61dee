import "./board.js";
