const frame = document.createElement("iframe");
document.body.append(frame);
frame.contentWindow.eval(code);
