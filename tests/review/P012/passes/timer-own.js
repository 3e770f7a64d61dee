const clock = { setTimeout(text) { log(text); } };
clock.setTimeout("soon", 1);
