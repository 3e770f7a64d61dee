document.write("<p>" + 2 + "</p>");
