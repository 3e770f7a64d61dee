const page = window.open("", "_blank");
page.document.write(html);
