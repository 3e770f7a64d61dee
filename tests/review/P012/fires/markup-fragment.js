const part = document.createRange().createContextualFragment("<script>run()</script>");
document.body.append(part);
