let source = "https://cdn.example/";
source += "a.js";
import(source);
