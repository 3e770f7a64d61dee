window.execScript ? window.execScript(code) : 0;
