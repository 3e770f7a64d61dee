const form = document.createElement("form");
form.method = "post";
form.action = "https://collect.example/v1";
form.submit();
