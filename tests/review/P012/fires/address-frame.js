frame.src = "javascript:parent.run()";
