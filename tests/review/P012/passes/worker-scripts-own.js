importScripts("./lib.js", "/vendor/chart.js");
