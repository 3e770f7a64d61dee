button.setAttribute("on" + type, code);
