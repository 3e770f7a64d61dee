document.body.append(document.createRange().createContextualFragment("<script src=\"" + address + "\"></script>"));
