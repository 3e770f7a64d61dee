frame.contentWindow.focus();
node.ownerDocument.addEventListener("click", run);
