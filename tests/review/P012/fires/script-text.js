const node = document.createElement("scr" + "ipt");
node.text = code;
document.head.append(node);
