const node = document.createAttribute("onclick");
node.value = code;
button.setAttributeNode(node);
