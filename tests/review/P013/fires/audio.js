new Audio("https://collect.example/ping.mp3").play();
