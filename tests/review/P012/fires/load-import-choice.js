const m = await import(dev ? "http://localhost:5173/src/main.js" : "./main.js");
