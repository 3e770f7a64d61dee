await window.getScreenDetails();
