const option = document.createElement("option");
option.text = label;
labelNode.textContent = "eval(code)";
