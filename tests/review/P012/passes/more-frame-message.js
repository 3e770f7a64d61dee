frame.contentWindow.postMessage("a", "*");
node.ownerDocument.createElement("p");
const view = node.ownerDocument.defaultView.getComputedStyle(node);
