button.setAttribute("onClick", code);
