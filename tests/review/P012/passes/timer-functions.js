const tick = () => draw();
setTimeout(tick, 10);
setInterval(draw.bind(null, "a"), 10);
window.setTimeout(function () { draw("text"); }, 10);
