node.ownerDocument.defaultView.eval(code);
