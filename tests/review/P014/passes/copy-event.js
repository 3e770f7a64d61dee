box.addEventListener("copy", (event) => event.clipboardData.setData("text/plain", text));
