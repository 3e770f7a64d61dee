window.onerror = eval;
throw "=1;run()";
