state.clipboard.readText();
editor.navigator.usb.requestDevice();
recipe.cookie = "chocolate";
this.localStorage.get("a");
