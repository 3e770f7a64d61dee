navigator.language;
navigator.userAgent.includes("Mac");
document.title = "Board";
matchMedia("(prefers-color-scheme: dark)").matches;
performance.now();
