const request = new XMLHttpRequest();
request.open("post", "https://collect.example/v1", true);
request.send(body);
