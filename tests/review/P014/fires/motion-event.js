window.addEventListener("deviceorientation", (event) => turn(event.alpha));
