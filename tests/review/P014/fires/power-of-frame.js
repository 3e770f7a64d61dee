frame.contentWindow.localStorage.setItem("a", "b");
