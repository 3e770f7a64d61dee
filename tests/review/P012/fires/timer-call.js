setInterval.call(window, "tick()", 10);
