export * as d3 from "//cdn.example/d3.js";
