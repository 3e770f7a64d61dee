const tree = new DOMParser().parseFromString("<p>" + title + "</p><script>" + code + "</script>", "text/html");
document.body.append(tree.body);
