const form = document.createElement("form");
form.action = "javascript:run()";
form.submit();
