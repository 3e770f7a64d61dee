window.setTimeout.apply(window, ["tick()", 10]);
